# SPDX-License-Identifier: GPL-2.0-only
"""Finds every signal that was sent in what the oscilloscope saw, judges its edges, and has it
decoded by the kernel's decoders on another board."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lab import carrier, replay, scope
from tests.soak import frames
from tests.soak.ledger import BAD_NS

_DUTY_PCT = 50
_TOO_FAR_NS = 1_000_000  # an edge that is off by more makes it another signal


@dataclass(frozen=True)
class Signal:
    """A signal that was sent, with the edges that the pin had then and how far off each was; both
    are empty where the pin does not show it whole."""

    frame: frames.Frame
    edges: Sequence[scope.Edge] = ()
    errors_ns: Sequence[int] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it was seen."""
        return bool(self.edges)

    @property
    def is_perfect(self) -> bool:
        """Whether no edge was off by 1 us or more."""
        return self.is_whole and all(abs(error) < BAD_NS for error in self.errors_ns)


@dataclass(frozen=True)
class Verdict:
    """What became of a piece: its signals, and how many of those that a decoder can understand it
    understood as what they are."""

    signals: Sequence[Signal]
    decoded: int

    @property
    def decodable(self) -> int:
        """How many had a scancode."""
        return sum(bool(signal.frame.scancode) for signal in self.signals)

    @property
    def missed(self) -> int:
        """How many were not seen whole, or not understood."""
        lost = sum(not signal.is_whole and not signal.frame.scancode for signal in self.signals)
        return lost + self.decodable - self.decoded


def judge(sent: Sequence[frames.Frame], edges: Sequence[scope.Edge], soft_carrier: bool,
          logs: Path) -> Verdict:
    """Judge all that was sent by what the pin showed; the logs of decoding are kept there."""
    signals = list(find(sent, edges, soft_carrier))
    known = [signal for signal in signals if signal.is_whole and signal.frame.scancode]
    heard = replay.decode([_envelope(signal, soft_carrier) for signal in known],
                          frames.PROTOCOLS, logs)
    return Verdict(signals, sum(is_understood(signal.frame.scancode, codes)
                                for signal, codes in zip(known, heard, strict=True)))


def is_understood(scancode: str, codes: Sequence[str]) -> bool:
    """Whether a frame's own decoder heard it as what it is, once. Others may take it for something
    of theirs: some RC-6 frames end as a Sony frame does."""
    protocol = scancode.partition(":")[0]
    return [code for code in codes if code.partition(":")[0] == protocol] == [scancode]


def find(sent: Sequence[frames.Frame], edges: Sequence[scope.Edge],
         soft_carrier: bool) -> Iterator[Signal]:
    """Each signal with its edges. Where the pin shows another one next, this one either was never
    sent, if that is the next one's, or is lost with what there is."""
    trains = carrier.bursts(edges, 1000 * frames.LONGEST_DARK_US)
    place = 0
    for frame, following in itertools.zip_longest(sent, sent[1:]):
        train = trains[place] if place < len(trains) else ()
        if errors_ns := _errors_ns(frame, train, soft_carrier):
            yield Signal(frame, train, errors_ns)
        else:
            yield Signal(frame)
        if errors_ns or not (following and _errors_ns(following, train, soft_carrier)):
            place += 1


def _errors_ns(frame: frames.Frame, train: Sequence[scope.Edge], soft_carrier: bool) -> list[int]:
    """How far each edge is from its place, counted from the first; nothing if it is not this frame.
    """
    due_ns = _due_ns(frame, soft_carrier)
    if [edge.lit for edge in train] != [number % 2 == 0 for number in range(len(due_ns))]:
        return []
    errors_ns = [edge.ns - train[0].ns - at_ns for edge, at_ns in zip(train, due_ns)]
    return errors_ns if max(map(abs, errors_ns)) < _TOO_FAR_NS else []


def _due_ns(frame: frames.Frame, soft_carrier: bool) -> list[int]:
    """When the pin must change: at pulses and spaces, or at all half cycles."""
    lengths_us = frame.signal.lengths_us
    if not soft_carrier:
        return list(itertools.accumulate((1000 * us for us in lengths_us), initial=0))
    wave = carrier.Wave(frame.signal.carrier_hz, _DUTY_PCT)
    return [round(at_ns) for pulse in carrier.pulses(lengths_us, wave) for at_ns in pulse.edges_ns]


def _envelope(signal: Signal, soft_carrier: bool) -> list[int]:
    """What a receiver module makes of it."""
    if not soft_carrier:
        return replay.of_edges(signal.edges)
    sent = signal.frame.signal
    dark_ns = carrier.pause_ns([sent.lengths_us], sent.carrier_hz)
    return replay.of_bursts(carrier.bursts(signal.edges, dark_ns))
