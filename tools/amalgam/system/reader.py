# SPDX-License-Identifier: MIT
"""Typed reading of YAML with positions: a wrong value is reported where it stands and replaced by its default,
so reading goes on and one pass finds everything."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml

from amalgam import paths
from amalgam.errors import nearest
from amalgam.system.model import FileRef
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.units import parse_size, parse_time_us, show_size, show_time

T = TypeVar("T")


def load(path: Path, diag: Diagnostics) -> yaml.Node | None:
    """The document's root node; None (and a problem) when it is no YAML."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        check_texts(path, root, diag)
        return root
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        mark = Mark(path, at.line + 1, at.column + 1) if at else Mark(path)
        diag.error(mark, f"this is not YAML: {error.problem or error}", "mappings are 'key: value', lists '- item' or [a, b]")
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        diag.error(Mark(path), f"this is not YAML: {str(error).splitlines()[0]}", "write plain UTF-8 text")
    except RecursionError:
        diag.error(Mark(path), "this is nested too deeply", "a system file has five levels or so")
    except OSError as error:
        diag.error(Mark(path), f"cannot read the file: {error.strerror}", "name a system file, e.g. systems/debian.yaml")
    return None


def check_texts(path: Path, root: yaml.Node | None, diag: Diagnostics) -> None:
    """Texts that no file's name and no console can hold are reported, and end before that character. Each node once: aliases share them."""
    left, seen = [root] if root else [], set()
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            if found := re.search("[\\0\ud800-\udfff]", node.value):
                mark = Mark(path, node.start_mark.line + 1, node.start_mark.column + 1)
                diag.error(mark, f"this text has the code {ord(found[0]):#06x}, which is no character", "leave it out")
                node.value = node.value[: found.start()]
        elif isinstance(node, yaml.MappingNode):
            left += [part for pair in node.value for part in pair]
        else:
            left += node.value


def kind_of(node: yaml.Node) -> str:
    """A node's kind in the reader's words."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    return "a list" if isinstance(node, yaml.SequenceNode) else f"'{node.value}'"


class Map:
    """A mapping with a fixed set of keys. `what` names it in messages."""

    def __init__(self, file: Path, node: yaml.Node, what: str, known: Sequence[str], diag: Diagnostics):
        self.file, self.what, self.diag = file, what, diag
        self.mark = self.mark_of(node)
        self.keys: dict[str, Mark] = {}
        self.nodes: dict[str, yaml.Node] = {}
        self.usable = isinstance(node, yaml.MappingNode)
        if not isinstance(node, yaml.MappingNode):
            diag.error(self.mark, f"{what} is {kind_of(node)}", f"it must be a mapping with the keys {', '.join(known)}")
            return
        for key, value in entries(file, node, what, diag):
            mark = self.mark_of(key)
            if key.value not in known:
                diag.error(mark, f"{what} has no key '{key.value}'{nearest(key.value, list(known))}", f"the keys are {', '.join(known)}")
            else:
                self.keys[key.value], self.nodes[key.value] = mark, value

    def mark_of(self, node: yaml.Node) -> Mark:
        return Mark(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def at(self, key: str) -> Mark:
        """Where the key's value stands; the mapping itself when it is left out."""
        return self.mark_of(self.nodes[key]) if key in self.nodes else self.mark

    def has(self, key: str) -> bool:
        return key in self.nodes

    def require(self, key: str, right: str) -> bool:
        """Complain when the key is left out."""
        if key not in self.nodes and self.usable:
            self.diag.error(self.mark, f"{self.what} has no '{key}'", right)
        return key in self.nodes

    def scalar(self, key: str, wanted: str) -> str | None:
        """The text of a plain value; None when left out, or wrong (reported)."""
        node = self.nodes.get(key)
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null":
            shown = "empty" if isinstance(node, yaml.ScalarNode) else kind_of(node)
            self.diag.error(self.at(key), f"'{key}' is {shown}", f"it must be {wanted}")
            return None
        return node.value

    def converted(self, key: str, default: T, wanted: str, convert: Callable[[str], T | None]) -> T:
        text = self.scalar(key, wanted)
        if text is None:
            return default
        value = convert(text)
        if value is None:
            self.diag.error(self.at(key), f"'{key}: {text}' is not allowed", f"it must be {wanted}")
            return default
        return value

    def text(self, key: str, default: str = "", wanted: str = "a text") -> str:
        return self.converted(key, default, wanted, lambda text: text)

    def name(self, key: str, default: str, most: int) -> str:
        """A name of at most so many characters."""
        wanted = f"a name of 1 to {most} letters, digits, '-' and '_'"
        return self.converted(key, default, wanted, lambda text: text if re.fullmatch(rf"[A-Za-z0-9_-]{{1,{most}}}", text) else None)

    def integer(self, key: str, default: int, low: int, high: int) -> int:
        return self.converted(key, default, f"a whole number from {low} to {high}", lambda t: in_range(to_int(t), low, high))

    def flag(self, key: str, default: bool, wanted: str = "true or false") -> bool:
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        return self.converted(key, default, wanted, lambda text: words.get(text.lower()))

    def size(self, key: str, default: int, low: int, high: int, step: int = 1) -> int:
        of = f", a multiple of {show_size(step)}" if step > 1 else ""
        return self.converted(
            key,
            default,
            f"a size from {show_size(low)} to {show_size(high)}{of} (units K, M, G)",
            lambda t: whole(in_range(parse_size(t), low, high), step),
        )

    def time_us(self, key: str, default: int, low: int, high: int) -> int:
        return self.converted(
            key,
            default,
            f"a time from {show_time(low)} to {show_time(high)} in whole microseconds (units us, ms, s)",
            lambda t: in_range(parse_time_us(t), low, high),
        )

    def choice(self, key: str, default: str, options: Sequence[str]) -> str:
        text = self.scalar(key, "one of " + ", ".join(options))
        if text is None or text in options:
            return text or default
        self.diag.error(
            self.at(key), f"'{key}: {text}' is not known{nearest(text, list(options))}", f"it must be one of {', '.join(options)}"
        )
        return default

    def items(self, key: str, wanted: str) -> list[yaml.Node]:
        """The items of a list; a single value stands for a list of one."""
        node = self.nodes.get(key)
        if node is None:
            return []
        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        if isinstance(node, yaml.ScalarNode) and node.tag != "tag:yaml.org,2002:null":
            return [node]
        self.diag.error(self.at(key), f"'{key}' is {kind_of(node) if node.value else 'empty'}", f"it must be a list of {wanted}")
        return []

    def words(self, key: str, wanted: str, convert: Callable[[str], T | None]) -> list[tuple[T, Mark]]:
        """A list of plain values, each with its place."""
        found = []
        for node in self.items(key, wanted):
            value = convert(node.value) if isinstance(node, yaml.ScalarNode) else None
            if value is None:
                self.diag.error(self.mark_of(node), f"{kind_of(node)} in '{key}' is not allowed", f"it must be a list of {wanted}")
            else:
                found.append((value, self.mark_of(node)))
        return found


def entries(file: Path, node: yaml.MappingNode, what: str, diag: Diagnostics) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """The mapping's pairs; keys that are no plain words and repeated keys are reported and left out."""
    seen: dict[str, int] = {}
    pairs = []
    for key, value in node.value:
        mark = Mark(file, key.start_mark.line + 1, key.start_mark.column + 1)
        if not isinstance(key, yaml.ScalarNode):
            diag.error(mark, f"a key of {what} is {kind_of(key)}", "keys are plain words")
        elif key.value in seen:
            diag.error(mark, f"'{key.value}' is given twice in {what}", f"keep one; the first is in line {seen[key.value]}")
        else:
            seen[key.value] = mark.line
            pairs.append((key, value))
    return pairs


def to_int(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


def in_range(value: int | None, low: int, high: int) -> int | None:
    return value if value is not None and low <= value <= high else None


def whole(value: int | None, step: int) -> int | None:
    return value if value is not None and value % step == 0 else None


def names(enum: type) -> list[str]:
    return [member.name.lower() for member in enum]


@dataclass(frozen=True)
class Names:
    """What may name a thing."""

    longest: int

    @property
    def rule(self) -> str:
        return f"a name of 1 to {self.longest} small letters, digits, '-' and '_' that begins with a letter"

    def accept(self, text: str) -> str | None:
        return text if re.fullmatch(rf"[a-z][a-z0-9_-]{{0,{self.longest - 1}}}", text) else None


NAMES = Names(15)


def board_file(name: str, keys: Sequence[str], diag: Diagnostics, options: Sequence[str] = ()) -> Map | None:
    """boards/NAME.yaml, which says all of these keys, and may say `options`."""
    path = paths.BOARDS / f"{name}.yaml"
    node = load(path, diag)
    if node is None:
        return None
    board = Map(path, node, "the board", [*keys, *options], diag)
    for key in keys:
        board.require(key, f"a board of this shape says {', '.join(keys)}")
    return board


def domain_entries(top: Map, names: Names, reserved: str, diag: Diagnostics) -> list[tuple[str, Mark, yaml.Node]]:
    """Names and contents of 'domains'. Two names are taken, one of them `reserved`."""
    node = top.nodes["domains"]
    if not isinstance(node, yaml.MappingNode):
        diag.error(top.at("domains"), "'domains' is no mapping", "write 'domains:' and below it 'NAME: {...}' for each")
        return []
    found = []
    for key, value in entries(top.file, node, "'domains'", diag):
        if names.accept(key.value) is None or key.value in (reserved, "kernel"):
            right = f"use {names.rule}; '{reserved}' and 'kernel' are taken"
            diag.error(top.mark_of(key), f"'{key.value}' cannot name a domain", right)
        found.append((key.value, top.mark_of(key), value))
    return found


def file_ref(m: Map, key: str) -> FileRef | None:
    text = m.text(key)
    return FileRef(text, m.at(key)) if text else None


def suggest(name: str, known: list[str]) -> str:
    """What would be right where a domain's name is expected."""
    return f"the domains are {', '.join(known)}{nearest(name, known)}" if known else "declare the domain first"
