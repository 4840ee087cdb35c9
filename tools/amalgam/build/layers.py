# SPDX-License-Identifier: MIT
"""Which folder of the kernel names which, from what the compiler saw, judged by the tables of docs/architecture.md.

An object's symbols say what its file defines and what it needs, functions and data alike, before link-time optimization
inlines them. Its .d file and the `#include` lines say which headers it reads. A call by a table of pointers has no symbol:
the header that declares the table stands for it.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path

from amalgam import paths, proc
from amalgam.build import twins
from amalgam.build.circles import Files, circles


@dataclass(frozen=True)
class Contract:
    """A row: `users` may include `headers` and use those of their `names` that a file in `homes` defines."""

    headers: tuple[str, ...]
    names: tuple[str, ...]
    homes: tuple[str, ...]
    users: tuple[str, ...]
    up: bool

    def covers(self, header: str) -> bool:
        return any(header.startswith(h) if h.endswith("/") else header == h for h in self.headers)

    def permits(self, user: str, home: str, header: str, name: str) -> bool:
        return user in self.users and home in self.homes and self.covers(header) and any(fnmatchcase(name, n) for n in self.names)


@dataclass
class Table:
    contracts: list[Contract] = field(default_factory=list)
    circles: list[Files] = field(default_factory=list)  # inside a folder, with a reason

    def folder(self, path: str) -> str:
        """The longest folder of the table that holds the file; "" if none does."""
        path = path.removeprefix("include/")
        if "/" not in path:
            return "lib"  # types.h and what else every folder includes
        while (path := path.rpartition("/")[0]) and path not in self.folders:
            pass
        return path

    @cached_property
    def folders(self) -> Files:
        """Those that the contracts name: all of them have been read by then."""
        return frozenset(name for c in self.contracts for name in (*c.homes, *c.users))


@dataclass(frozen=True)
class Use:
    """`caller` needs `name`, a symbol that `callee` defines, or includes the header `callee` (name is "")."""

    caller: str
    callee: str
    name: str = ""


@dataclass
class Tree:
    """What one configuration links."""

    uses: set[Use] = field(default_factory=set)
    overrides: set[Use] = field(default_factory=set)  # `callee` defines what is weak in `caller`
    declared: Mapping[str, set[str]] = field(default_factory=dict)  # symbol -> headers, by the names they are included by


def rows(text: str, marker: str) -> Iterator[list[str]]:
    """The cells of the table that follows <!-- layers: MARKER -->, without its two head lines."""
    _, found, rest = text.partition(f"<!-- layers: {marker} -->\n")
    if not found:
        raise ValueError(f"no table 'layers: {marker}'")
    table = re.match(r"\s*((?:\|.*\n)+)", rest)
    for line in table[1].splitlines()[2:] if table else ():
        yield [cell.strip() for cell in line.strip().strip("|").split("|")]


def words(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


def read_table(text: str) -> Table:
    """The three tables of a document: calls down, calls up, circles inside a folder."""
    table = Table()
    for marker in ("down", "up"):
        for headers, names, homes, users in rows(text, marker):
            wanted = ("*",) if names == "all" else words(names)  # without any: its types and macros only
            table.contracts.append(Contract(words(headers), wanted, words(homes), words(users), marker == "up"))
    for files, reason in rows(text, "circles"):
        if len(reason) < 20:
            raise ValueError(f"no reason for the circle of {files}")
        table.circles.append(frozenset(words(files)))
    return table


def read_symbols(listing: str, folder: str) -> tuple[set[Use], set[Use]]:
    """Who needs whose symbols, from `nm -A` of all objects, whose paths are FOLDER/source.c.o; and which of them take the place of a weak one.

    A weak symbol that another file defines, too, is a call of that file by the one with the default. Of a file that is compiled twice
    (kernel/twins.mk) both objects count; what others call of it is their first set's."""
    defined: dict[str, dict[str, bool]] = defaultdict(dict)  # name -> file -> whether weak
    needed: set[tuple[str, str]] = set()
    for line in listing.splitlines():
        path, rest = line.split(":", 1)
        source = path.removeprefix(folder + "/").removeprefix("other/").removesuffix(".o")
        kind, name = rest.split()[-2:]
        if kind in "Uw":
            needed.add((source, name))
        elif kind in "WV" or kind.isupper():
            defined[name][source] = kind in "WV"
            if kind in "WV":
                needed.add((source, name))
    uses, overrides = set(), set()
    for source, asked in needed:
        name = asked if asked in defined else asked + twins.FIRST
        strong = sorted(f for f, weak in defined[name].items() if not weak)
        home = next(iter(strong or sorted(defined[name])), source)
        if home != source:
            uses.add(Use(source, home, twins.plain(name)))
            if strong and source in defined[name]:
                overrides.add(Use(source, home, name))
    return uses, overrides


def spelled(header: str) -> str:
    """How a header is included: core/log.h for include/core/log.h; as it lies where it is a folder's own.

    The folders of cache/ are on the include path themselves."""
    return header.rsplit("/", 1)[-1] if header.startswith("cache/") else header.rsplit("include/", 1)[-1]


@cache
def directly(file: str, _changed: int) -> frozenset[str]:
    """The words of a file's `#include` lines, read once for all objects; `_changed` is its time, in nanoseconds."""
    text = Path(file).read_text(encoding="utf-8")
    return frozenset(re.findall(r'^[ \t]*#[ \t]*include[ \t]+[<"]([^>"]+)[>"]', text, re.MULTILINE))


def listed(makefile: str) -> list[str]:
    """The files that one object was compiled from, from its .d file."""
    words = makefile.split("\n\n")[0].replace("\\\n", " ").split(":", 1)[1].split()
    return list(dict.fromkeys(os.path.normpath(word) for word in words if not word.endswith(":")))


def read_includes(makefile: str, kernel: Path, out: Path) -> set[Use]:
    """Who includes which header, from one .d file: its list says which file an `#include` means. Paths are text: a hundred for each object."""
    ours = {}  # file -> its path in kernel/, or generated/...
    for path in listed(makefile):
        if path.startswith(f"{kernel}/"):
            ours[path] = path.removeprefix(f"{kernel}/")
        elif path.startswith(f"{out}/include/"):
            ours[path] = path.removeprefix(f"{out}/")
    words = {spelled(name): name for name in reversed(ours.values())}
    uses = set()
    for path, name in ours.items():
        if name.endswith((".c", ".S", ".h")):
            for word in directly(path, os.stat(path).st_mtime_ns):  # noqa: PTH116 - making paths took longer than all else
                other = ours.get(os.path.normpath(f"{path.rpartition('/')[0]}/{word}")) or words.get(word)
                if other:
                    uses.add(Use(name, other))
    return uses


@cache
def declared(file: str, _changed: int) -> frozenset[str]:
    """The names that a header declares, read once for all shapes."""
    return frozenset(declarations(Path(file).read_text(encoding="utf-8")))


def declarations(header: str) -> Iterator[str]:
    """Names of the functions and variables that a header's text declares."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header, flags=re.DOTALL).replace("\\\n", " ")
    text = re.sub(r"^[ \t]*#.*$|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text, flags=re.MULTILINE)
    while (flat := re.sub(r"\{[^{}]*\}", ";", text)) != text:
        text = flat
    for statement in text.split(";"):
        if statement.lstrip().startswith("typedef"):
            continue
        if "(" in statement:
            yield from re.findall(r"(\w+)\s*\(", statement)[:1]
        else:
            for part in statement.split(","):
                yield from re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part.rstrip())


def declared_in(*folders: Path) -> dict[str, set[str]]:
    """Each declared name's headers."""
    found: dict[str, set[str]] = defaultdict(set)
    for folder in folders:
        for header in folder.rglob("*.h"):
            for name in declared(str(header), header.stat().st_mtime_ns):
                found[name].add(spelled(str(header.relative_to(folder))))
    return found


@dataclass(frozen=True)
class Finding:
    """A use that no row permits. `key` is how the list of known breaches names it."""

    key: str
    use: Use

    def __str__(self) -> str:
        what = f"uses {self.use.name} of" if self.use.name else "includes"
        return f"kernel/{self.use.caller} {what} kernel/{self.use.callee}   [{self.key}]"


def row_of(table: Table, tree: Tree, use: Use) -> Contract | None:
    """The row that permits a use; rows for calls down first."""
    user, home = table.folder(use.caller), table.folder(use.callee)
    if not use.name:
        header = spelled(use.callee)
        return next((c for c in table.contracts if c.covers(header) and user in (*c.users, *c.homes)), None)
    headers = tree.declared.get(use.name, set()) or {"-"}
    return next((c for c in table.contracts for h in sorted(headers) if c.permits(user, home, h, use.name)), None)


def breaches(table: Table, tree: Tree) -> list[Finding]:
    """Uses from folder to folder that no row permits."""
    found = []
    for use in sorted(tree.uses, key=lambda u: (u.caller, u.callee, u.name)):
        user, home = table.folder(use.caller), table.folder(use.callee)
        if not user or not home:
            found.append(Finding(f"no row names the folder of {use.callee if user else use.caller}", use))
        elif user != home and not row_of(table, tree, use):
            found.append(Finding(f"{user} -> {home}: {use.name or spelled(use.callee)}", use))
    return found


def idle(table: Table, trees: list[Tree]) -> list[str]:
    """Permissions that no configuration needs: a folder that uses nothing of a row that names it as a user."""
    used: set[tuple[int, str]] = set()
    for tree in trees:
        for use in tree.uses:
            user = table.folder(use.caller)
            row = row_of(table, tree, use) if user != table.folder(use.callee) else None
            if row:
                used.add((id(row), user))
    return [f"{user} uses nothing of {' '.join(c.headers)}" for c in table.contracts for user in c.users if (id(c), user) not in used]


def file_circles(table: Table, tree: Tree) -> list[Files]:
    """Circles of files that need each other's symbols, without the calls up that the table lists and without breaches."""
    graph: dict[str, set[str]] = defaultdict(set)
    for use in tree.uses:
        if not use.name:
            continue
        row = row_of(table, tree, use)
        if table.folder(use.caller) == table.folder(use.callee) or (row and not row.up):
            graph[use.caller].add(use.callee)
    return circles(graph)


def read_tree(objects: list[str], kernel: Path, out: Path, nm: str) -> Tree:
    """The symbols and headers of objects OUT/FILE.o of files in `kernel`, with their .d files beside them."""
    tree = Tree(*read_symbols(proc.run([nm, "-A", *objects], "reading symbols"), str(out)), declared_in(kernel, out / "include"))
    for name in objects:
        tree.uses |= read_includes(Path(name).with_suffix(".d").read_text(encoding="utf-8"), kernel, out)
    return tree


def objects_of(shape: str) -> list[str]:
    """The objects that a shape links."""
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return proc.run(["make", "-s", "-C", paths.ROOT / "kernel", f"SHAPE={shape}", "objects"], f"asking what {shape} links", env=env).split()


def sources(shape: str) -> set[Path]:
    """The files of kernel/ that a shape which has been built is compiled from, headers included."""
    files = {file for name in objects_of(shape) for file in listed(Path(name).with_suffix(".d").read_text(encoding="utf-8"))}
    return {Path(file) for file in files if file.startswith(f"{paths.ROOT}/kernel/")}


def read_shape(shape: str) -> Tree:
    """What a shape that has been built links."""
    kernel, objects = paths.ROOT / "kernel", objects_of(shape)
    config = (paths.ROOT / "config" / f"{shape}.config").read_text(encoding="utf-8")
    prefix = re.search(r'^CONFIG_CROSS_COMPILE="(.*)"', config, re.MULTILINE)
    return read_tree(objects, kernel, paths.BUILD / shape, f"{prefix[1] if prefix else ''}gcc-nm")
