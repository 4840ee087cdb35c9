# SPDX-License-Identifier: MIT
"""The tables of kernel and firmware, and the places of a virtual PC, as their own headers describe them: structs become formats of `struct`, defines and enums numbers.

Understood is what the headers of tables have: u8 to u64 and char, arrays, nested structs, unions, fields in the natural alignment of
all our targets.  In a format
  char[]                  is bytes,
  u8[] and other arrays   are one value an element,
  a nested struct, or a union whose first member does not fill it, is bytes: what another format packed, filled up with zeros,
  pad, reserved           is no value, but zeros.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from amalgam import paths

SCALARS = {"u8": "B", "char": "s", "u16": "H", "u32": "I", "u64": "Q"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
MEMBER = re.compile(r"\s*(?:(union|struct)\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*|(?:struct\s+)?(\w+)\s+([^;{}]+));?")
NOT_VALUES = ("pad", "reserved")


@dataclass(frozen=True)
class Field:
    """A member: its format without byte order, its size and alignment."""

    name: str
    format: str
    size: int
    align: int


class Layout:
    """One header, or some that belong together."""

    def __init__(self, order: str, *headers: Path) -> None:
        """`order`: of bytes, '<' or '>'."""
        self.order = order
        self.headers = headers
        text = "\n".join(COMMENT.sub(" ", header.read_text(encoding="utf-8")).replace("\\\n", " ") for header in headers)
        self.constants: dict[str, int] = {}
        for name, value in re.findall(r"^#define (\w+)[ \t]+(\S.*)$", text, re.MULTILINE):
            self.constants[name] = self.number(value)
        for members in re.findall(r"\benum\s+\w*\s*\{([^}]*)\}", text):
            self.enumerate(members)
        self.bodies = dict(re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.DOTALL | re.MULTILINE))

    def number(self, text: str) -> int:
        """A constant expression of numbers and names that were defined before."""
        text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(self.constants[m[0]]), text)
        if not re.fullmatch(r"[0-9a-fA-Fx\s()+*|<-]+", text):
            raise ValueError(f"no constant: {text}")
        return int(eval(" ".join(text.split()), {"__builtins__": {}}))

    def enumerate(self, members: str) -> None:
        value = -1
        for member in filter(None, (m.strip() for m in members.split(","))):
            name, _, given = member.partition("=")
            value = self.number(given) if given else value + 1
            self.constants[name.strip()] = value

    def fields(self, body: str) -> list[Field]:
        found = []
        for kind, inner, word, names in MEMBER.findall(body.strip()):
            if kind:
                found.append(self.nested(self.fields(inner), kind == "union"))
                continue
            for name, dimension in re.findall(r"(\w+)\s*(?:\[([^\]]*)\])?\s*(?:,|$)", names.strip()):
                found.append(self.field(word, name, self.number(dimension) if dimension else 1))
        return found

    def field(self, word: str, name: str, count: int) -> Field:
        if word not in SCALARS:
            one = self.nested(self.fields(self.bodies[word]), False)
            return Field(name, f"{one.size * count}s", one.size * count, one.align)
        size = struct.calcsize("<" + SCALARS[word])
        code = "x" if name.startswith(NOT_VALUES) else SCALARS[word]
        return Field(name, f"{size * count if code == 'x' else count}{code}", size * count, size)

    def nested(self, members: list[Field], union: bool) -> Field:
        """A union or a struct as one member."""
        align = max(m.align for m in members)
        size = max(m.size for m in members) if union else self.place(members)[1]
        size = -(-size // align) * align
        first = members[0]
        whole = union and first.size == size
        return Field(first.name, first.format if whole else f"{size}s", size, align)

    @staticmethod
    def place(members: list[Field]) -> tuple[list[int], int]:
        """Where each begins, and the end of the last."""
        offsets, at = [], 0
        for m in members:
            at = -(-at // m.align) * m.align
            offsets.append(at)
            at += m.size
        return offsets, at

    def offset(self, name: str, member: str) -> int:
        members = self.fields(self.bodies[name])
        return self.place(members)[0][[m.name for m in members].index(member)]

    def struct(self, name: str) -> struct.Struct:
        members = self.fields(self.bodies[name])
        offsets, end = self.place(members)
        total = self.nested(members, False).size
        at, made = 0, self.order
        for m, offset in zip(members, offsets, strict=True):
            made += ("" if offset == at else f"{offset - at}x") + m.format
            at = offset + m.size
        return struct.Struct(made + ("" if end == total else f"{total - end}x"))


INCLUDE = paths.ROOT / "kernel/include"
# A domain's record is a common head, and a part of its kind's header.
SYSTEM_TABLE = Layout("<", INCLUDE / "core/system_table.h", *sorted(INCLUDE.glob("*/system_part.h")))
PARTITION_TABLE = Layout(">", INCLUDE / "partition/table.h")
PC_PLACES = Layout("<", INCLUDE / "vm/places.h")
CLUSTER_TABLE = Layout("<", paths.ROOT / "firmware/manycore/table.h")
