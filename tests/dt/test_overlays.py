# SPDX-License-Identifier: GPL-2.0-only
"""Each overlay fits every board that it names, obeys the schemas there, and its parameters do what
its comment says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.dt import boards, fdt, overrides, schema
from tests.lab import host

_USERS = sorted((schema.SCHEMAS / "overlays").glob("*.dts"))
_LABS = sorted((host.TREE / "tests/lab/dts").glob("*.dts"))
_PI_3 = "bcm2837-rpi-3-b"
_PI_5 = "bcm2712-rpi-5-b"
_DRIVERS = {"pwm-ir-tx", "gpio-ir-tx"}

# overlay with parameters as in config.txt: the node that is enabled, without phandles; and what
# its pins are made to be
_PARAMETERS = {
    "pwm-ir-tx": ("pwm-ir-transmitter", {"pwms": [(0, 26316, 0)]}, {18: 2}),
    "pwm-ir-tx,gpio_pin=12,func=4": (
        "pwm-ir-transmitter", {"pwms": [(0, 26316, 0)]}, {12: 4}),
    "pwm-ir-tx,gpio_pin=13": ("pwm-ir-transmitter", {"pwms": [(1, 26316, 0)]}, {13: 4}),
    "pwm-ir-tx,gpio_pin=19,carrier=36000": (
        "pwm-ir-transmitter", {"pwms": [(1, 26316, 0)], "carrier": 36000}, {19: 2}),
    "pwm-ir-tx,emitters=1": ("pwm-ir-transmitter", {"pwms": [(0, 26316, 0)]}, {18: 2}),
    "pwm-ir-tx,emitters=2": (
        "pwm-ir-transmitter-x2", {"pwms": [(0, 26316, 0), (1, 26316, 0)]}, {18: 2, 19: 2}),
    "pwm-ir-tx,emitters=2,gpio_pin=13,gpio_pin2=12,carrier=0": (
        "pwm-ir-transmitter-x2", {"pwms": [(1, 26316, 0), (0, 26316, 0)], "carrier": 0},
        {13: 4, 12: 4}),
    "gpio-ir-tx": ("gpio-ir-transmitter", {"gpios": [(18, 0)]}, {18: 0}),
    "gpio-ir-tx,gpio_pin=23,invert=1": (
        "gpio-ir-transmitter@17", {"gpios": [(23, 1)]}, {23: 0}),
    "gpio-ir-tx,carrier=56000": (
        "gpio-ir-transmitter", {"gpios": [(18, 0)], "carrier": 56000}, {18: 0}),
    "gpio-ir-tx,emitters=2,invert=1,gpio_pin2=5": (
        "gpio-ir-transmitter-x2", {"gpios": [(18, 1), (5, 1)]}, {18: 0, 5: 0}),
    "gpio-ir-tx,emitters=3,carrier=0": (
        "gpio-ir-transmitter-x3", {"gpios": [(18, 0), (17, 0), (27, 0)], "carrier": 0},
        {18: 0, 17: 0, 27: 0}),
    "gpio-ir-tx,emitters=3,invert=1,gpio_pin=4,gpio_pin2=5,gpio_pin3=6": (
        "gpio-ir-transmitter-x3@4", {"gpios": [(4, 1), (5, 1), (6, 1)]}, {4: 0, 5: 0, 6: 0}),
}
_REFUSED = ["pwm-ir-tx,gpio_pin=17", "pwm-ir-tx,gpio_pin2=20", "pwm-ir-tx,emitters=3",
            "gpio-ir-tx,emitters=4", "gpio-ir-tx,emitters=0", "gpio-ir-tx,func=1"]


# --- applying them ---

def compile_overlay(name: str, folder: Path) -> Path:
    """An overlay by its name."""
    source = next(path for path in [*_USERS, *_LABS] if path.stem == name)
    return boards.compile_source(source, folder / f"{name}.dtbo")


def with_parameters(line: str, folder: Path) -> Path:
    """An overlay with parameters, named as in config.txt after "dtoverlay="."""
    name, *parameters = line.split(",")
    overlay = compile_overlay(name, folder)
    tree = fdt.parse(overlay.read_bytes())
    for parameter in parameters:
        overrides.set_parameter(tree, *parameter.split("="))
    overlay.write_bytes(fdt.flatten(tree))
    return overlay


def named_boards(overlay: Path) -> list[str]:
    """The boards that an overlay names; without any names, those that have its labels."""
    names = boards.compatible(overlay)
    if names:
        return [board for board, tree in boards.trees().items() if names & boards.compatible(tree)]
    children = fdt.parse(overlay.read_bytes()).children
    labels = set(children["__fixups__"].properties) if "__fixups__" in children else set()
    return [board for board, tree in boards.trees().items()
            if labels <= fdt.parse(tree.read_bytes()).node_at("/__symbols__").properties.keys()]


# --- reading what came of it ---

def transmitters(tree: fdt.Node) -> dict[str, fdt.Node]:
    """The nodes that one of our drivers will serve."""
    return {path[1:]: node for path, node in tree.walk()
            if _DRIVERS & set(node.strings("compatible"))
            and node.strings("status") in ([], ["okay"])}


def settings(node: fdt.Node) -> dict:
    """What a transmitter's node says, without phandles."""
    found = {name: chunks(node.cells(name), cells) for name, cells in (("pwms", 4), ("gpios", 3))
             if name in node.properties}
    if "default-carrier-hz" in node.properties:
        found["carrier"], = node.cells("default-carrier-hz")
    return found


def chunks(cells: list[int], size: int) -> list[tuple[int, ...]]:
    """Specifiers without their phandles."""
    return [tuple(cells[i + 1:i + size]) for i in range(0, len(cells), size)]


def muxed_pins(tree: fdt.Node, node: fdt.Node) -> dict[int, int]:
    """The function of each pin that a transmitter, or its PWM, wants for itself."""
    nodes = {value: found for _, found in tree.walk() if "phandle" in found.properties
             for value in found.cells("phandle")}
    owners = [node, *(nodes[cell] for cell in node.cells("pwms")[:1])] \
        if "pwms" in node.properties else [node]
    groups = [nodes[phandle] for owner in owners if "pinctrl-0" in owner.properties
              for phandle in owner.cells("pinctrl-0")]
    return {pin: group.cells("brcm,function")[0]
            for group in groups for pin in group.cells("brcm,pins")}


# --- tests ---

@pytest.mark.parametrize("source", [*_USERS, *_LABS], ids=lambda path: path.stem)
def test_valid(source, tmp_path):
    """On every board that it names."""
    overlay = boards.compile_source(source, tmp_path / "overlay.dtbo")
    named = named_boards(overlay)
    assert named
    for board in named:
        boards.apply(overlay, boards.trees()[board], tmp_path / f"{board}.dtb")
    assert not schema.check_trees(tmp_path)


@pytest.mark.parametrize("source", _USERS, ids=lambda path: path.stem)
def test_boards(source, tmp_path):
    """Users' overlays are for every Pi but the 5, of which Debian's tree knows neither pins nor
    PWM."""
    named = named_boards(boards.compile_source(source, tmp_path / "overlay.dtbo"))
    assert set(boards.trees()) - set(named) == {_PI_5}


def test_whole_tree(tmp_path):
    """Users' overlays give dt-schema nothing new to complain about anywhere in a tree; but it is
    awake: a node that was renamed for its pin has a unit address and no "reg"."""
    board = boards.trees()[_PI_3]
    (tmp_path / "before.dtb").write_bytes(board.read_bytes())
    for source in _USERS:
        overlay = boards.compile_source(source, tmp_path / "overlay.dtbo")
        boards.apply(overlay, board, tmp_path / f"{source.stem}.dtb")
    boards.apply(with_parameters("gpio-ir-tx,gpio_pin=18", tmp_path), board,
                 tmp_path / "renamed.dtb")
    complaints = re.findall(r"^/trees/(\S+)\.dtb: (.*)$", schema.check_whole_trees(tmp_path),
                            re.MULTILINE)
    before = {text for tree, text in complaints if tree == "before"}
    assert {tree for tree, text in complaints if text not in before} == {"renamed"}


@pytest.mark.parametrize("line", _PARAMETERS)
def test_parameters(line, tmp_path):
    """What comes of dtoverlay=LINE."""
    board = boards.trees()[_PI_3]
    tree = boards.apply(with_parameters(line, tmp_path), board, tmp_path / "tree.dtb")
    root = fdt.parse(tree.read_bytes())
    (name, node), = transmitters(root).items()
    assert (name, settings(node), muxed_pins(root, node)) == _PARAMETERS[line]


def test_parameters_valid(tmp_path):
    """All that comes of parameters obeys the schemas."""
    for number, line in enumerate(_PARAMETERS):
        overlay = with_parameters(line, tmp_path)
        boards.apply(overlay, boards.trees()[_PI_3], tmp_path / f"{number}.dtb")
    assert not schema.check_trees(tmp_path)


@pytest.mark.parametrize("line", _REFUSED)
def test_refused(line, tmp_path):
    """A parameter that would leave an LED dark in silence."""
    with pytest.raises(overrides.Refused):
        with_parameters(line, tmp_path)


def test_twice(tmp_path):
    """One overlay, applied twice for two devices."""
    tree = boards.trees()[_PI_3]
    for number, line in enumerate(["gpio-ir-tx,gpio_pin=22,emitters=2", "gpio-ir-tx,gpio_pin=23"]):
        tree = boards.apply(with_parameters(line, tmp_path), tree, tmp_path / f"{number}.dtb")
    nodes = transmitters(fdt.parse(tree.read_bytes()))
    assert {name: settings(node)["gpios"] for name, node in nodes.items()} == {
        "gpio-ir-transmitter-x2@16": [(22, 0), (17, 0)], "gpio-ir-transmitter@17": [(23, 0)]}


@pytest.mark.parametrize("source", _USERS, ids=lambda path: path.stem)
def test_documented(source, tmp_path):
    """The parameters in an overlay's comment are those that it has."""
    tree = fdt.parse(boards.compile_source(source, tmp_path / "overlay.dtbo").read_bytes())
    names = tree.children["__overrides__"].properties if "__overrides__" in tree.children else {}
    comment = source.read_text(encoding="utf-8").partition("*/")[0]
    assert set(re.findall(r"^ \* (\w+)\t", comment, re.MULTILINE)) == names.keys() - {"phandle"}
