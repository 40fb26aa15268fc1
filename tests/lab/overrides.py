# SPDX-License-Identifier: GPL-2.0-only
"""Sets parameters of Raspberry Pi overlays, as the boot firmware does with dtoverlay=NAME,A=B, in
so far as ours use them: numbers, strings, their tables, fixed values, and names of nodes."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

from tests.lab import fdt
from tests.lab.fdt import Node

_TARGET = re.compile(r"(?P<property>[\w,.-]+?)(?::(?P<offset>\d+))?"
                     r"(?:=(?P<fixed>.+)|\{(?P<table>.+)\})?")


class Refused(Exception):
    """The firmware would not apply the overlay."""


def set_parameters(compiled: Path, parameters: Sequence[str]) -> None:
    """Carry parameters out, such as "gpio_pin=13", on the file of a compiled overlay."""
    overlay = fdt.parse(compiled.read_bytes())
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        set_parameter(overlay, name, value)
    compiled.write_bytes(fdt.flatten(overlay))


def set_parameter(overlay: Node, name: str, value: str) -> None:
    """Carry a parameter out on a compiled overlay, target by target."""
    targets = overlay.node_at("/__overrides__").properties.get(name)
    if targets is None:
        raise Refused(f"the overlay has no parameter {name}")
    while targets:
        phandle, = struct.unpack_from(">I", targets)
        text, _, targets = targets[4:].partition(b"\0")
        _set_target(overlay, phandle, text.decode(), value)


def _set_target(overlay: Node, phandle: int, text: str, value: str) -> None:
    """Carry out one target, such as "gpios:4" or "status{1=okay,2=disabled}"."""
    target = _TARGET.fullmatch(text)
    if not target:
        raise Refused(f"cannot make out the target {text!r}")
    path = _find(overlay, phandle)
    value = target["fixed"] or (_look_up(target["table"], value) if target["table"] else value)
    if target["property"] == "name":
        _rename(overlay, path, value)
    elif target["offset"] is None:
        overlay.node_at(path).properties[target["property"]] = value.encode() + b"\0"
    elif target["property"] == "reg":
        if "@" in path:
            _rename(overlay, path, f"{path.rpartition('/')[2].partition('@')[0]}@{int(value, 0):x}")
    else:
        _set_cell(overlay.node_at(path), target["property"], int(target["offset"]), int(value, 0))


def _look_up(table: str, value: str) -> str:
    """What a table such as "1=okay,2=disabled" has for a value; a name left out is any other."""
    entries = dict(entry.split("=") for entry in table.split(","))
    if found := entries.get(value, entries.get("")):
        return found
    raise Refused(f"{value} is none of {', '.join(entries)}")


def _find(overlay: Node, phandle: int) -> str:
    """The path of the node with a phandle."""
    for path, node in overlay.walk():
        if "phandle" in node.properties and node.cells("phandle") == [phandle]:
            return path
    raise Refused(f"no node has the phandle {phandle}")


def _set_cell(node: Node, name: str, offset: int, number: int) -> None:
    """Write 32 bits into a property, which grows to hold them."""
    data = bytearray(node.properties.get(name, b"").ljust(offset + 4, b"\0"))
    struct.pack_into(">I", data, offset, number)
    node.properties[name] = bytes(data)


def _rename(overlay: Node, path: str, name: str) -> None:
    """Give a node another name, also where labels and references tell of it by path."""
    parent = path.rpartition("/")[0]
    for place in (parent, f"/__local_fixups__{parent}"):
        try:
            siblings = overlay.node_at(place).children
        except KeyError:
            continue
        if path.rpartition("/")[2] in siblings:
            siblings[name] = siblings.pop(path.rpartition("/")[2])
    for table in ("/__fixups__", "/__symbols__"):
        properties = overlay.node_at(table).properties
        for key, value in properties.items():
            properties[key] = re.sub(re.escape(path.encode()) + rb"(?=[:/\0])",
                                     f"{parent}/{name}".encode(), value)
