# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel's decoders, on an idle second machine, make of signals as the oscilloscope saw
them. Cells that were not judged yet are played in one go; what was heard is kept in the cache."""

from __future__ import annotations

import functools
import itertools
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench import cell, figures
from tests.lab import cache, replay

_PROTOCOLS = ("nec", "rc-5", "rc-6", "sony", "mce_kbd", "rc-mm")
_ENTRY = "bench-heard"


def count_decoded(cells: Mapping[str, Sequence[figures.Sent]]) -> dict[str, int]:
    """How many signals of each cell were heard as what they are."""
    envelopes = {name: [_envelope(signal) for signal in mine] for name, mine in cells.items()}
    new = {name: mine for name, mine in envelopes.items() if not cache.has(_ENTRY, _key(mine))}
    if new:
        _listen(new)
    return {name: _count(mine) for name, mine in envelopes.items()}


def _envelope(signal: figures.Sent) -> list[int]:
    """A signal's light and dark, in ns."""
    return [after - before for before, after in itertools.pairwise(signal.edges_ns)]


def _key(envelopes: Sequence[Sequence[int]]) -> list[str | bytes]:
    return [json.dumps(envelopes), *_PROTOCOLS, Path(replay.__file__).read_bytes()]


def _listen(cells: Mapping[str, Sequence[Sequence[int]]]) -> None:
    """Play all of them, and keep what was heard of each."""
    played = list(itertools.chain.from_iterable(cells.values()))
    with tempfile.TemporaryDirectory(prefix="irtx-heard-") as folder:
        heard = iter(replay.decode(played, _PROTOCOLS, Path(folder) / "logs"))
    for mine in cells.values():
        part = list(itertools.islice(heard, len(mine)))
        cache.entry(_ENTRY, _key(mine), functools.partial(_keep, heard=part))


def _keep(folder: Path, heard: Sequence[Sequence[str]]) -> None:
    (folder / "heard").write_text(json.dumps(heard), encoding="ascii")


def _count(envelopes: Sequence[Sequence[int]]) -> int:
    """How many of a cell's signals were understood, from what is kept."""
    kept = cache.root() / cache.name_of(_ENTRY, _key(envelopes)) / "heard"
    heard = json.loads(kept.read_text(encoding="ascii"))
    wanted = itertools.cycle(cell.SCANCODES)
    return sum(codes == list(right) for codes, right in zip(heard, wanted))
