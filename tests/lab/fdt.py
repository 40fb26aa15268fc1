# SPDX-License-Identifier: GPL-2.0-only
"""Flattened device trees as Python objects and back (Devicetree Specification, chapter 5), as far
as compiled overlays need it: no memory reservations."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_MAGIC = 0xd00dfeed
_BEGIN_NODE, _END_NODE, _PROPERTY, _NOP, _END = 1, 2, 3, 4, 9
_HEADER = struct.Struct(">10I")


@dataclass
class Node:
    """A node of a tree."""

    properties: dict[str, bytes] = field(default_factory=dict)
    children: dict[str, Node] = field(default_factory=dict)

    def node_at(self, path: str) -> Node:
        """The node at a path like "/a/b"; KeyError where there is none."""
        node = self
        for name in filter(None, path.split("/")):
            node = node.children[name]
        return node

    def walk(self, path: str = "") -> Iterator[tuple[str, Node]]:
        """Every node below, each with its path, and this one as "/" first."""
        yield path or "/", self
        for name, child in self.children.items():
            yield from child.walk(f"{path}/{name}")

    def cells(self, name: str) -> list[int]:
        """A property's value as numbers of 32 bits."""
        data = self.properties[name]
        return list(struct.unpack(f">{len(data) // 4}I", data))

    def strings(self, name: str) -> list[str]:
        """A property's value as strings, none where it is absent."""
        return self.properties.get(name, b"").decode().split("\0")[:-1]


def parse(data: bytes) -> Node:
    """The root of a flattened tree."""
    magic, _, structure, strings, *_ = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise ValueError(f"not a flattened device tree: it begins with {magic:#x}")
    outer = Node()
    _parse_into(outer, data, structure, strings)
    return outer.children[""]


def _parse_into(node: Node, data: bytes, offset: int, strings: int) -> int:
    """Read tokens up to the end of @node; where the next one is."""
    while True:
        token, = struct.unpack_from(">I", data, offset)
        offset += 4
        if token == _BEGIN_NODE:
            name = _string(data, offset)
            child = node.children[name] = Node()
            offset = _parse_into(child, data, _aligned(offset + len(name) + 1), strings)
        elif token == _PROPERTY:
            length, name_offset = struct.unpack_from(">2I", data, offset)
            offset += 8
            node.properties[_string(data, strings + name_offset)] = data[offset:offset + length]
            offset = _aligned(offset + length)
        elif token in (_END_NODE, _END):
            return offset


def _string(data: bytes, offset: int) -> str:
    return data[offset:data.index(b"\0", offset)].decode()


def _aligned(offset: int) -> int:
    return offset + -offset % 4


def flatten(root: Node) -> bytes:
    """A tree as dtc would write it."""
    names: dict[str, int] = {}
    structure = _flatten_node("", root, names) + struct.pack(">I", _END)
    strings = b"".join(name.encode() + b"\0" for name in names)
    reservations = bytes(16)
    at_structure = _HEADER.size + len(reservations)
    at_strings = at_structure + len(structure)
    header = _HEADER.pack(_MAGIC, at_strings + len(strings), at_structure, at_strings, _HEADER.size,
                          17, 16, 0, len(strings), len(structure))
    return header + reservations + structure + strings


def _flatten_node(name: str, node: Node, names: dict[str, int]) -> bytes:
    """A node's tokens; @names gathers where each property's name will be."""
    parts = [struct.pack(">I", _BEGIN_NODE), _padded(name.encode() + b"\0")]
    for key, value in node.properties.items():
        place = names.setdefault(key, sum(len(known) + 1 for known in names))
        parts += [struct.pack(">3I", _PROPERTY, len(value), place), _padded(value)]
    parts += [_flatten_node(key, child, names) for key, child in node.children.items()]
    return b"".join(parts) + struct.pack(">I", _END_NODE)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
