# SPDX-License-Identifier: GPL-2.0-only
"""What is sent: frames of six protocols with random scancodes, and random frames that mean nothing.
All are short, so that many can be sent, and dark inside for less than LONGEST_DARK_US."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.lab import irfile

LONGEST_DARK_US = 5_000
PROTOCOLS = ("nec", "rc-5", "rc-6", "sony", "jvc", "rc-mm")  # their decoders, as sysfs names them
_RANDOM_VALUES = range(1, 12, 2)
_RANDOM_US = (300, 1200)  # a space of eight cycles is not taken for a part of a pulse
_RANDOM_HZ = range(30_001, 56_000, 10)  # no number of cycles is half a one too much or too little
_RCMM_SPACES_US = (277, 444, 611, 777)


@dataclass(frozen=True)
class Frame:
    """A signal, and the scancode that the decoders must make of it ("nec:0x408"), if any."""

    signal: irfile.Signal
    scancode: str | None = None


def choose(source: random.Random, count: int) -> list[Frame]:
    """Frames of all kinds, as often as the mix has them."""
    return [kind(source) for kind, _ in zip(itertools.cycle(_MIX), range(count))]


# --- protocols; the decoders of the kernel are the judges of what is right here ---

def _nec(source: random.Random) -> Frame:
    address, command = _bytes(source, 2)
    bits = _low_first([address, address ^ 0xff, command, command ^ 0xff], 8)
    return _frame(38_000, [9000, 4500, *_by_spaces(bits, 562, (562, 1688)), 562],
                  f"nec:{address << 8 | command:#x}")


def _jvc(source: random.Random) -> Frame:
    address, command = _bytes(source, 2)
    bits = _low_first([address, command], 8)
    return _frame(38_000, [8400, 4200, *_by_spaces(bits, 525, (525, 1575)), 525],
                  f"jvc:{address << 8 | command:#x}")


def _sony12(source: random.Random) -> Frame:
    device, function = source.randrange(32), source.randrange(128)
    bits = [*_low_first([function], 7), *_low_first([device], 5)]
    pulses = itertools.chain.from_iterable((1200 if bit else 600, 600) for bit in bits)
    return _frame(40_000, [2400, 600, *pulses][:-1], f"sony12:{device << 16 | function:#x}")


def _rc5(source: random.Random) -> Frame:
    toggle, address, command = source.randrange(2), source.randrange(32), source.randrange(64)
    bits = _high_first(0b11 << 12 | toggle << 11 | address << 6 | command, 14)
    halves = itertools.chain.from_iterable((bit ^ 1, bit) for bit in bits)
    return _frame(36_000, _by_halves(halves, 889), f"rc5:{address << 8 | command:#x}")


def _rc6(source: random.Random) -> Frame:
    toggle, (address, command) = source.randrange(2), _bytes(source, 2)
    bits = _high_first(address << 8 | command, 16)
    halves = [1, 0, 0, 1, 0, 1, 0, 1]  # the start bit and mode 0
    halves += [toggle, toggle, toggle ^ 1, toggle ^ 1]
    halves += itertools.chain.from_iterable((bit, bit ^ 1) for bit in bits)
    return _frame(36_000, [2664, 888, *_by_halves(halves, 444)],
                  f"rc6_0:{address << 8 | command:#x}")


def _rcmm(source: random.Random, size: int) -> Frame:
    code = source.getrandbits(size)
    pairs = [code >> place & 3 for place in range(size - 2, -1, -2)]
    return _frame(36_000, [416, 277, *_by_spaces(pairs, 166, _RCMM_SPACES_US), 166],
                  f"rc-mm-{size}:{code:#x}")


def _rcmm12(source: random.Random) -> Frame:
    return _rcmm(source, 12)


def _rcmm24(source: random.Random) -> Frame:
    return _rcmm(source, 24)


def _random(source: random.Random) -> Frame:
    lengths_us = [source.randint(*_RANDOM_US) for _ in range(source.choice(_RANDOM_VALUES))]
    return _frame(source.choice(_RANDOM_HZ), lengths_us)


_MIX = (_rcmm12, _random, _rcmm24, _sony12, _rcmm12, _random, _rcmm12, _rc5, _rcmm24, _random,
        _rcmm12, _nec, _random, _rcmm12, _rcmm24, _rc6, _random, _rcmm12, _sony12, _random, _rcmm12,
        _jvc, _rcmm24, _random)


# --- how bits become light ---

def _frame(carrier_hz: int, lengths_us: Sequence[int], scancode: str | None = None) -> Frame:
    return Frame(irfile.Signal(tuple(lengths_us), carrier_hz), scancode)


def _bytes(source: random.Random, count: int) -> list[int]:
    return [source.randrange(256) for _ in range(count)]


def _low_first(values: Iterable[int], size: int) -> list[int]:
    """The bits of each value, the lowest first."""
    return [value >> place & 1 for value in values for place in range(size)]


def _high_first(value: int, size: int) -> list[int]:
    """The bits of a value, the highest first."""
    return _low_first([value], size)[::-1]


def _by_spaces(symbols: Iterable[int], pulse_us: int, spaces_us: Sequence[int]) -> Iterator[int]:
    """A pulse for each symbol, and a space that tells which it is."""
    for symbol in symbols:
        yield from (pulse_us, spaces_us[symbol])


def _by_halves(halves: Iterable[int], half_us: int) -> list[int]:
    """Halves of bits that are light (1) or dark, without the dark ones at both ends."""
    runs = [(lit, half_us * len(list(run))) for lit, run in itertools.groupby(halves)]
    return [length_us for _, length_us in runs[not runs[0][0]:len(runs) - (not runs[-1][0])]]
