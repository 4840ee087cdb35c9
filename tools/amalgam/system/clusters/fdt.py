# SPDX-License-Identifier: MIT
"""A writer of flattened device trees, version 17 (Devicetree Specification 0.4, chapter 5). Twenty clusters make twenty trees: a
compiler's run for each would take longer than all the rest."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

MAGIC, VERSION, COMPATIBLE = 0xD00DFEED, 17, 16
BEGIN_NODE, END_NODE, PROP, END = 1, 2, 3, 9
HEADER = struct.Struct(">10I")
Value = bytes | str | list[str] | list[int] | None


@dataclass
class Node:
    """`properties`: a text, texts, cells, bytes as they are, or None for one that is only there."""

    name: str
    properties: dict[str, Value] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)


def encoded(value: Value) -> bytes:
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode() + b"\0"
    return b"".join(word.encode() + b"\0" if isinstance(word, str) else struct.pack(">I", word) for word in value)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def pair(value: int) -> list[int]:
    """An address or a size of two cells."""
    return [value >> 32, value & 0xFFFFFFFF]


class Strings:
    """Names of properties, each once."""

    def __init__(self) -> None:
        self.data = b""
        self.at: dict[str, int] = {}

    def add(self, name: str) -> int:
        if name not in self.at:
            self.at[name] = len(self.data)
            self.data += name.encode() + b"\0"
        return self.at[name]


def value_at(tree: bytes, name: str, size: int) -> int:
    """Where in a tree that blob() has made the value of a property is, by its name and size; the first one."""
    _magic, _size, at, strings, *_ = HEADER.unpack_from(tree)
    known = tree.index(b"\0" + name.encode() + b"\0", strings) + 1 - strings
    return tree.index(struct.pack(">III", PROP, size, known), at) + 12


def structure(node: Node, strings: Strings) -> bytes:
    out = struct.pack(">I", BEGIN_NODE) + padded(node.name.encode() + b"\0")
    for name, value in node.properties.items():
        data = encoded(value)
        out += struct.pack(">III", PROP, len(data), strings.add(name)) + padded(data)
    return out + b"".join(structure(child, strings) for child in node.children) + struct.pack(">I", END_NODE)


def blob(root: Node, boot_hart: int) -> bytes:
    """The tree, without reservations."""
    strings = Strings()
    body = structure(root, strings) + struct.pack(">I", END)
    reserved = HEADER.size + (-HEADER.size % 8)
    at = reserved + 16
    size = at + len(body) + len(strings.data)
    header = HEADER.pack(MAGIC, size, at, at + len(body), reserved, VERSION, COMPATIBLE, boot_hart, len(strings.data), len(body))
    return header + bytes(reserved - HEADER.size + 16) + body + strings.data
