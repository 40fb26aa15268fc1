# SPDX-License-Identifier: GPL-2.0-only
"""The committed figures: results.json, a cell a line, and what is made from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.bench import loads, plots, senders, table
from tests.lab import host

FOLDER = host.TREE / "Documentation/bench"
_RESULTS = "results.json"
_TABLE = "README.md"
_FORMAT = "irtx bench 1"
_PAGE = """\
# Every way to send, side by side

Made by `make bench`; do not edit. What it all means, and how it is measured:
[tests/bench/README.md](../../tests/bench/README.md).

![errors](errors.svg)
![cost](cost.svg)
![signal](signal.svg)

## Targets

{targets}
## What the loads do where nobody sends

{loads}
## All figures

{full}{missing}"""


class StoreError(Exception):
    """The committed figures cannot be read; the text says why, and what to do."""


def order() -> list[str]:
    """All cells there are, in the order of the table."""
    return [f"{sender.name}/{load}" for load in loads.TITLES for sender in senders.SENDERS
            if load in sender.loads]


def read(folder: Path = FOLDER) -> dict[str, dict]:
    """The committed results by cell, none where there are none yet."""
    path = folder / _RESULTS
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="ascii"))
    if found.get("format") != _FORMAT:
        raise StoreError(f"{path} has format {found.get('format')!r}, not {_FORMAT!r}: make it "
                         "anew with `make bench`")
    return found["cells"]


def write(cells: Mapping[str, Mapping], folder: Path = FOLDER) -> None:
    """Commit results, and draw the tables and pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f" {json.dumps(name)}: {json.dumps(cells[name])}" for name in order() if name in cells]
    (folder / _RESULTS).write_text(f'{{"format": "{_FORMAT}", "cells": {{\n' + ",\n".join(lines)
                                   + "\n}}\n", encoding="ascii")
    (folder / _TABLE).write_text(page(cells), encoding="utf-8")
    plots.draw(cells, folder)


def page(cells: Mapping[str, Mapping]) -> str:
    """The page that shows everything."""
    return _PAGE.format(targets=table.targets_met(cells), loads=table.what_loads_did(cells),
                        full=table.full(cells), missing=_missing(cells))


def _missing(cells: Mapping[str, Mapping]) -> str:
    """What has not been measured, in words."""
    left = [name for name in order() if name not in cells]
    return f"\nNot measured yet: {', '.join(left)}.\n" if left else ""
