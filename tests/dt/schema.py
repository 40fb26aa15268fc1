# SPDX-License-Identifier: GPL-2.0-only
"""The dt-schema tools, in a chroot: bookworm's judge a binding only together with all of the
kernel's. Their exit status says little: whatever they print is a complaint."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.lab import chroot, host

SCHEMAS = host.TREE / "dt-bindings"
_PLACE = f"/tree/{SCHEMAS.name}"
_OURS = f"/schemas/{SCHEMAS.name}/:/pwm-consumer.yaml"  # which wants the names of PWMs to differ


def check_documents(schemas: Path = SCHEMAS) -> str:
    """Complaints about the schemas of a folder."""
    return _run(["dt-doc-validate", _PLACE], {_PLACE: schemas})


def examples(name: str) -> str:
    """The examples in a schema of ours, as a source of a device tree."""
    return _run(["dt-extract-example", f"{_PLACE}/{name}"], {_PLACE: SCHEMAS})


def check_trees(trees: Path) -> str:
    """Complaints about nodes of ours in the compiled trees of a folder, by our schemas."""
    return _validate(trees, ["--limit", _OURS])


def check_whole_trees(trees: Path) -> str:
    """Complaints about any node, also those of the boards, by all that dt-schema knows itself."""
    return _validate(trees, [])


def _validate(trees: Path, options: Sequence[str]) -> str:
    """Judge every *.dtb of a folder."""
    return _run(["dt-validate", *options, "--schema", _PLACE, "/trees"],
                {_PLACE: SCHEMAS, "/trees": trees})


@functools.cache
def _root() -> Path:
    """The chroot with the tools."""
    return chroot.make("trixie", ["dt-schema/trixie-backports"])


def _run(command: Sequence[str], folders: Mapping[str, Path]) -> str:
    """What a tool prints, or that it failed in silence."""
    done = chroot.attempt(_root(), command, folders)
    text = done.stdout.strip()
    return text or (f"{command[0]} failed with status {done.returncode}" if done.returncode else "")
