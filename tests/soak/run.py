# SPDX-License-Identifier: GPL-2.0-only
"""Sends one piece of the endurance run and makes its line of the ledger."""

from __future__ import annotations

import functools
import hashlib
import shutil
from pathlib import Path

from tests.lab import cache, host, modules, session, verdict
from tests.soak import judge
from tests.soak.ledger import BAD_NS, Entry
from tests.soak.pieces import BEGIN, END, Piece

_PIN = 18
_HASH_DIGITS = 12


@functools.cache
def sources() -> str:
    """A name for what the drivers are built from: another one for any other content."""
    digest = hashlib.sha256()
    for path in modules.find_sources(host.TREE, [modules.DRIVERS]):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(host.TREE)} {len(content)} ".encode() + content)
    return digest.hexdigest()[:_HASH_DIGITS]


def send(piece: Piece) -> Entry:
    """Send a piece and judge it; its logs are kept if anything was not perfect."""
    logs = cache.root() / "soak" / f"piece-{piece.number}"  # nobody else cleans up there meanwhile
    with cache.lock(f"soak-{piece.number}"):
        shutil.rmtree(logs, ignore_errors=True)
        entry = _entry(piece, _send(piece, logs))
        if entry.perfect == entry.sent and not entry.missed:
            shutil.rmtree(logs)
        else:
            host.say(f"soak: piece {piece.number} was not perfect; its logs: {logs}")
    return entry


def _send(piece: Piece, logs: Path) -> judge.Verdict:
    """Have it sent, and judged; whatever a scenario may not do, a piece may not do either."""
    scenario = piece.scenario()
    seen, = session.run(scenario.board, [scenario], logs)
    if found := verdict.problems(scenario, seen):
        raise host.LabError(verdict.report(scenario, seen, found))
    return judge.judge(piece.sent(), seen.during.between(BEGIN, END).edges(_PIN),
                       piece.has_soft_carrier(), logs / "decoding")


def _entry(piece: Piece, got: judge.Verdict) -> Entry:
    errors_ns = [abs(error) for signal in got.signals for error in signal.errors_ns]
    kind = piece.kind
    return Entry(
        piece=piece.number, kernel=kind.kernel, driver=kind.driver, mode=kind.mode, load=kind.load,
        shift=kind.shift, sources=sources(), sent=len(got.signals),
        perfect=sum(signal.is_perfect for signal in got.signals), edges=len(errors_ns),
        bad_edges=sum(error >= BAD_NS for error in errors_ns),
        worst_ns=max(errors_ns, default=0), frames=got.decodable, decoded=got.decoded,
        missed=got.missed)
