# SPDX-License-Identifier: GPL-2.0-only
"""Each overlay fits every board that it names, obeys the schemas there, and its parameters do what
its comment says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.dt import boards, schema
from tests.lab import dtc, fdt, host, overrides

_OWN_NAMES = {"irtx-pwm": "pwm-ir-tx", "irtx-gpio": "gpio-ir-tx"}  # of the same overlays
_OVERLAYS = sorted((schema.SCHEMAS / "overlays").glob("*.dts"))
_USERS = [path for path in _OVERLAYS if path.stem not in _OWN_NAMES]
_LABS = sorted((host.TREE / "tests/lab/dts").glob("*.dts"))
_PI_3 = "bcm2837-rpi-3-b"
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
    "irtx-pwm-pi5": ("pwm-ir-transmitter", {"pwms": [(2, 26316, 0)]}, {18: "pwm0"}),
    "irtx-pwm-pi5,gpio_pin=12,func=4": (
        "pwm-ir-transmitter", {"pwms": [(0, 26316, 0)]}, {12: "pwm0"}),
    "irtx-pwm-pi5,gpio_pin=13": ("pwm-ir-transmitter", {"pwms": [(1, 26316, 0)]}, {13: "pwm0"}),
    "irtx-pwm-pi5,gpio_pin=18": ("pwm-ir-transmitter", {"pwms": [(2, 26316, 0)]}, {18: "pwm0"}),
    "irtx-pwm-pi5,gpio_pin=19,carrier=36000": (
        "pwm-ir-transmitter", {"pwms": [(3, 26316, 0)], "carrier": 36000}, {19: "pwm0"}),
    "irtx-pwm-pi5,emitters=1": ("pwm-ir-transmitter", {"pwms": [(2, 26316, 0)]}, {18: "pwm0"}),
    "irtx-pwm-pi5,emitters=2": (
        "pwm-ir-transmitter-x2", {"pwms": [(2, 26316, 0), (3, 26316, 0)]},
        {18: "pwm0", 19: "pwm0"}),
    "irtx-pwm-pi5,emitters=2,gpio_pin=13,gpio_pin2=12,carrier=0": (
        "pwm-ir-transmitter-x2", {"pwms": [(1, 26316, 0), (0, 26316, 0)], "carrier": 0},
        {13: "pwm0", 12: "pwm0"}),
    "irtx-gpio-pi5": ("gpio-ir-transmitter", {"gpios": [(18, 0)]}, {}),
    "irtx-gpio-pi5,gpio_pin=23,invert=1": ("gpio-ir-transmitter@17", {"gpios": [(23, 1)]}, {}),
    "irtx-gpio-pi5,carrier=56000": (
        "gpio-ir-transmitter", {"gpios": [(18, 0)], "carrier": 56000}, {}),
    "irtx-gpio-pi5,emitters=2,invert=1,gpio_pin2=5": (
        "gpio-ir-transmitter-x2", {"gpios": [(18, 1), (5, 1)]}, {}),
    "irtx-gpio-pi5,emitters=3,carrier=0": (
        "gpio-ir-transmitter-x3", {"gpios": [(18, 0), (17, 0), (27, 0)], "carrier": 0}, {}),
    "irtx-gpio-pi5,emitters=3,invert=1,gpio_pin=4,gpio_pin2=5,gpio_pin3=6": (
        "gpio-ir-transmitter-x3@4", {"gpios": [(4, 1), (5, 1), (6, 1)]}, {}),
}
_REFUSED = ["pwm-ir-tx,gpio_pin=17", "pwm-ir-tx,gpio_pin2=20", "pwm-ir-tx,emitters=3",
            "gpio-ir-tx,emitters=4", "gpio-ir-tx,emitters=0", "gpio-ir-tx,func=1",
            "irtx-pwm-pi5,gpio_pin=17", "irtx-pwm-pi5,gpio_pin=40", "irtx-pwm-pi5,gpio_pin2=20",
            "irtx-pwm-pi5,emitters=3", "irtx-gpio-pi5,emitters=4"]


# --- applying them ---

def compile_overlay(name: str, folder: Path) -> Path:
    """An overlay by its name."""
    source = next(path for path in [*_OVERLAYS, *_LABS] if path.stem == name)
    return dtc.compile_source(source, folder / f"{name}.dtbo")


def with_parameters(line: str, folder: Path) -> Path:
    """An overlay with parameters, named as in config.txt after "dtoverlay="."""
    name, *parameters = line.split(",")
    overlay = compile_overlay(name, folder)
    overrides.set_parameters(overlay, parameters)
    return overlay


def named_boards(overlay: Path) -> list[str]:
    """The boards that an overlay names, or all where it names none, that have its labels."""
    names = boards.compatible(overlay)
    children = fdt.parse(overlay.read_bytes()).children
    labels = set(children["__fixups__"].properties) if "__fixups__" in children else set()
    return [board for board, tree in boards.trees().items()
            if (not names or names & boards.compatible(tree))
            and labels <= fdt.parse(tree.read_bytes()).node_at("/__symbols__").properties.keys()]


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


def muxed_pins(tree: fdt.Node, node: fdt.Node) -> dict[int, int | str]:
    """The function of each pin that a transmitter, or its PWM, wants for itself."""
    nodes = {value: found for _, found in tree.walk() if "phandle" in found.properties
             for value in found.cells("phandle")}
    owners = [node, *(nodes[cell] for cell in node.cells("pwms")[:1])] \
        if "pwms" in node.properties else [node]
    groups = [nodes[phandle] for owner in owners if "pinctrl-0" in owner.properties
              for phandle in owner.cells("pinctrl-0")]
    return {pin: function for group in groups for pin, function in pins(group).items()}


def pins(group: fdt.Node) -> dict[int, int | str]:
    """A group of pins as either chip has it, each with its function."""
    if "brcm,pins" in group.properties:
        return dict.fromkeys(group.cells("brcm,pins"), group.cells("brcm,function")[0])
    return dict.fromkeys((int(name.removeprefix("gpio")) for name in group.strings("pins")),
                         group.strings("function")[0])


# --- tests ---

@pytest.mark.parametrize("source", [*_USERS, *_LABS], ids=lambda path: path.stem)
def test_valid(source, tmp_path):
    """On every board that it names; the lab takes its boards from the older kernel."""
    overlay = dtc.compile_source(source, tmp_path / "overlay.dtbo")
    named = [board for board in named_boards(overlay)
             if source in _USERS or not boards.is_newer(board)]
    assert named
    for board in named:
        boards.apply(overlay, boards.trees()[board], tmp_path / f"{board}.dtb")
    assert not schema.check_trees(tmp_path)


@pytest.mark.parametrize("source", _USERS, ids=lambda path: path.stem)
def test_boards(source, tmp_path):
    """Users' overlays are for every Pi but the 5; its own for those of its trees that know its
    pins, and its PWM."""
    named = set(named_boards(dtc.compile_source(source, tmp_path / "overlay.dtbo")))
    pi_5 = {board for board in boards.trees() if "bcm2712" in board}
    fitting = {"irtx-gpio-pi5": pi_5 - {"bcm2712-rpi-5-b"}, "irtx-pwm-pi5": {boards.VENDOR_PI_5}}
    assert named == fitting.get(source.stem, set(boards.trees()) - pi_5)


@pytest.mark.parametrize("kind", ["2835-rpi-zero", "2835-rpi-b", "2836-rpi-2", "2837-rpi-zero-2-w",
                                  "2837-rpi-3-b", "2837-rpi-3-b-plus", "2711-rpi-4-b",
                                  "2711-rpi-400", "2711-rpi-cm4", "2712-rpi-5-b"])
def test_boards_are_there(kind):
    """No Pi is left out because its tree was not found."""
    assert any(board.startswith(f"bcm{kind}") for board in boards.trees())


@pytest.mark.parametrize("own", _OWN_NAMES)
def test_own_names(own, tmp_path):
    """Under our own names are the same overlays, to the byte."""
    assert compile_overlay(own, tmp_path).read_bytes() \
        == compile_overlay(_OWN_NAMES[own], tmp_path).read_bytes()


@pytest.mark.parametrize("name", [_PI_3, boards.VENDOR_PI_5])
def test_whole_tree(name, tmp_path):
    """Users' overlays give dt-schema nothing new to complain about anywhere in a tree; but it is
    awake: a node that was renamed for its pin has a unit address and no "reg"."""
    board = boards.trees()[name]
    (tmp_path / "before.dtb").write_bytes(board.read_bytes())
    mine = [path for path in _USERS if name in named_boards(compile_overlay(path.stem, tmp_path))]
    for source in mine:
        boards.apply(tmp_path / f"{source.stem}.dtbo", board, tmp_path / f"{source.stem}.dtb")
    renamed = next(path.stem for path in mine if "gpio" in path.stem)
    boards.apply(with_parameters(f"{renamed},gpio_pin=18", tmp_path), board,
                 tmp_path / "renamed.dtb")
    complaints = re.findall(r"^/trees/(\S+)\.dtb: (.*)$", schema.check_whole_trees(tmp_path),
                            re.MULTILINE)
    before = {text for tree, text in complaints if tree == "before"}
    assert {tree for tree, text in complaints if text not in before} == {"renamed"}


@pytest.mark.parametrize("line", _PARAMETERS)
def test_parameters(line, tmp_path):
    """What comes of dtoverlay=LINE, on every board that the overlay fits."""
    overlay = with_parameters(line, tmp_path)
    for board in named_boards(overlay):
        tree = boards.apply(overlay, boards.trees()[board], tmp_path / "tree.dtb")
        root = fdt.parse(tree.read_bytes())
        (name, node), = transmitters(root).items()
        assert (name, settings(node), muxed_pins(root, node)) == _PARAMETERS[line], board


def test_parameters_valid(tmp_path):
    """All that comes of parameters obeys the schemas."""
    for number, line in enumerate(_PARAMETERS):
        board = boards.VENDOR_PI_5 if "pi5" in line else _PI_3
        overlay = with_parameters(line, tmp_path)
        boards.apply(overlay, boards.trees()[board], tmp_path / f"{number}.dtb")
    assert not schema.check_trees(tmp_path)


@pytest.mark.parametrize("line", _REFUSED)
def test_refused(line, tmp_path):
    """A parameter that would leave an LED dark in silence."""
    with pytest.raises(overrides.Refused):
        with_parameters(line, tmp_path)


@pytest.mark.parametrize("name, board", [("gpio-ir-tx", _PI_3),
                                         ("irtx-gpio-pi5", boards.VENDOR_PI_5)])
def test_twice(name, board, tmp_path):
    """One overlay, applied twice for two devices."""
    tree = boards.trees()[board]
    for number, line in enumerate([f"{name},gpio_pin=22,emitters=2", f"{name},gpio_pin=23"]):
        tree = boards.apply(with_parameters(line, tmp_path), tree, tmp_path / f"{number}.dtb")
    nodes = transmitters(fdt.parse(tree.read_bytes()))
    assert {name: settings(node)["gpios"] for name, node in nodes.items()} == {
        "gpio-ir-transmitter-x2@16": [(22, 0), (17, 0)], "gpio-ir-transmitter@17": [(23, 0)]}


@pytest.mark.parametrize("source", _USERS, ids=lambda path: path.stem)
def test_documented(source, tmp_path):
    """The parameters in an overlay's comment are those that it has."""
    tree = fdt.parse(dtc.compile_source(source, tmp_path / "overlay.dtbo").read_bytes())
    names = tree.children["__overrides__"].properties if "__overrides__" in tree.children else {}
    comment = source.read_text(encoding="utf-8").partition("*/")[0]
    assert set(re.findall(r"^ \* (\w+)\t", comment, re.MULTILINE)) == names.keys() - {"phandle"}
