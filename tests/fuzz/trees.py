# SPDX-License-Identifier: GPL-2.0-only
"""Seeded random device trees: nodes of our drivers that are right, or wrong in one or several of
the ways that a person gets them wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass

_HEADER = """/dts-v1/;
/plugin/;

&{/} {
    scope_pwm: scope-pwm {
        compatible = "irtx,scope-pwm";
        #pwm-cells = <2>;
        npwm = <32>;
    };

    scope_gpio: scope-gpio {
        compatible = "irtx,scope-gpio";
        gpio-controller;
        #gpio-cells = <2>;
        ngpios = <32>;
    };

    nothing: nothing {
    };

    transmitter {
"""
_COUNTS = (0, 1, 1, 1, 1, 2, 3, 31, 32, 33)
_CARRIERS_HZ = ("0", "1", "20000", "38000", "500000", "500001", "0xffffffff", "38000 1", "")
_MAX_LINES = 32


@dataclass(frozen=True)
class Tree:
    """A device tree, and whether a transmitter must, cannot or may come of it."""

    text: str
    driver: str
    works: bool | None


@dataclass
class _Node:
    """A node under way; what is certain of it."""

    lines: list[str]
    works: bool | None = True

    def spoil(self) -> None:
        """It cannot work any more."""
        self.works = False

    def doubt(self) -> None:
        """It may work or not."""
        if self.works:
            self.works = None


def make(seed: int) -> Tree:
    """The device tree of a seed."""
    dice = random.Random(seed)
    driver = dice.choice(["pwm-ir-tx", "gpio-ir-tx"])
    node = _Node([f'compatible = "{driver}";'])
    if driver == "pwm-ir-tx":
        has_pwms = _add_pwms(node, dice)
        if not has_pwms or dice.random() < 0.3:
            _add_gpios(node, dice, spare=has_pwms)
    else:
        _add_gpios(node, dice, spare=False)
    _add_carrier(node, dice)
    _add_junk(node, dice)
    body = "".join(f"        {line}\n" for line in node.lines)
    return Tree(f"{_HEADER}{body}    }};\n}};\n", driver, node.works)


def _add_pwms(node: _Node, dice: random.Random) -> bool:
    """PWMs, or none; whether there are any."""
    count = dice.choice(_COUNTS)
    if not count:
        return False
    channels = [_channel(node, dice, number) for number in range(count)]
    cells = [f"<&{_chip(node, dice, 'scope_pwm')} {channel} {dice.choice([26316, 0, 1])}>"
             for channel in channels]
    node.lines.append(f"pwms = {', '.join(cells)}{_ragged(node, dice)};")
    if count > _MAX_LINES or len(set(channels)) < count:
        node.doubt()
    _add_names(node, dice, count)
    return True


def _add_names(node: _Node, dice: random.Random, count: int) -> None:
    """Names of PWMs; without any the first one is taken."""
    if count == 1 and dice.random() < 0.8:
        return
    names = [f"tx{number}" for number in range(count)]
    if dice.random() < 0.2:
        node.doubt()
        names = dice.choice([names[:-1], [*names, "more"], ["same"] * count, [""] * count])
    if names:
        quoted = ", ".join(f'"{name}"' for name in names)
        node.lines.append(f"pwm-names = {quoted};")


def _add_gpios(node: _Node, dice: random.Random, spare: bool) -> None:
    """GPIO lines; where they are not spare, nothing comes of the node without them."""
    count = dice.choice(_COUNTS)
    doubt = node.doubt if spare else node.spoil
    if not count or count > _MAX_LINES:
        doubt()
    if not count:
        return
    before = node.works
    lines = [_channel(node, dice, number) for number in range(count)]
    cells = [f"<&{_chip(node, dice, 'scope_gpio')} {line} {_flags(node, dice)}>" for line in lines]
    node.lines.append(f"gpios = {', '.join(cells)}{_ragged(node, dice)};")
    if len(set(lines)) < count or node.works != before:
        node.doubt()


def _channel(node: _Node, dice: random.Random, number: int) -> int:
    """Mostly each its own."""
    if dice.random() < 0.98:
        return number % _MAX_LINES
    node.doubt()
    return dice.choice([0, 31, 32, 0xffffffff])


def _chip(node: _Node, dice: random.Random, name: str) -> str:
    """Mostly the right one."""
    if dice.random() < 0.98:
        return name
    node.doubt()
    return dice.choice(["nothing", "scope_pwm", "scope_gpio"])


def _flags(node: _Node, dice: random.Random) -> int:
    """Mostly active high or low."""
    if dice.random() < 0.98:
        return dice.choice([0, 0, 1])
    node.doubt()
    return 0xffff


def _ragged(node: _Node, dice: random.Random) -> str:
    """Now and then cells that are no whole entry, or that point nowhere."""
    if dice.random() < 0.9:
        return ""
    node.doubt()
    return dice.choice([", <0>", ", <1 2>", ", <0xdeadbeef 0 0>", ", <&scope_pwm>"])


def _add_carrier(node: _Node, dice: random.Random) -> None:
    """A default carrier, mostly an absurd one."""
    if dice.random() < 0.6:
        return
    carrier_hz = dice.choice(_CARRIERS_HZ)
    node.lines.append(f"default-carrier-hz = <{carrier_hz}>;")
    if carrier_hz in ("500001", "0xffffffff"):
        node.spoil()
    elif carrier_hz not in ("20000", "38000"):
        node.doubt()


def _add_junk(node: _Node, dice: random.Random) -> None:
    """Properties that mean nothing, which must not matter."""
    junk = dice.choice(["", "", 'label = "";', "linux,rc-map-name = <1>;"])
    if junk:
        node.lines.append(junk)
