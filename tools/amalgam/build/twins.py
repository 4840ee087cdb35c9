# SPDX-License-Identifier: MIT
"""Make what joins a kernel's two back ends for guests (kernel/twins.mk), from gcc-nm's lists of its objects.

`names` reads the list of the first set on stdin and prints the header by which the other set gets names of its own.
`jumps FIRST OTHER ONCE --stay NAME... --init NAME... --alone NAME...` prints the jumps, in assembly, by which files that are compiled
once call a set: each leads to the first set's function, and a table, freed after boot, has where it leads in the other. The names of
--init are functions of .init.text. A set's name that is called and not listed would silently be the first set's, so it ends the build.
The same holds for a name that the other set alone has, which the processor of the first must never reach: those of --alone may be
called from outside of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

FIRST, OTHER = "__amdv", "__vtx"


def plain(name: str) -> str:
    """A function's name without its set."""
    return name.removesuffix(FIRST).removesuffix(OTHER)


def read(lines: Iterable[str]) -> tuple[set[str], set[str]]:
    """The global names that a list of gcc-nm's defines, and those that it needs."""
    defined, needed = set(), set()
    for line in lines:
        words = line.split()
        if len(words) in (2, 3):  # else a file's name, or nothing
            (needed if words[-2] in "Uw" else defined).add(words[-1])
    return defined, needed


def header(lines: Iterable[str]) -> str:
    """A line for each name of the first set."""
    names = {name.removesuffix(FIRST) for name in read(lines)[0]}
    return "".join(f"#define {name} {name}{OTHER}\n" for name in sorted(names))


def check_alone(other: set[str], called: set[str], listed: set[str]) -> None:
    """ValueError: what is called from outside of the other set, of names that it alone has, is not what is listed."""
    alone = {name for name in other & called if not name.endswith(OTHER)}
    if missing := alone - listed:
        raise ValueError(f"of the other set alone, called from outside of it, and not listed: {', '.join(sorted(missing))}")
    if idle := listed - alone:
        raise ValueError(f"listed as of the other set alone, and not called from outside of it: {', '.join(sorted(idle))}")


def jumps(
    first: Iterable[str], other: Iterable[str], once: Iterable[str], stay: list[str], init: list[str], alone: Iterable[str] = ()
) -> str:
    """Assembly. ValueError: the lists are not what is called."""
    (inside, by_first), needed = read(first), read(once)[1]
    listed = {*stay, *init}
    check_alone(read(other)[0], by_first | needed, set(alone))
    if missing := needed & inside:
        raise ValueError(f"called from outside of a set, and not listed: {', '.join(sorted(missing))}")
    if idle := listed - needed:
        raise ValueError(f"listed, and not called from outside of a set: {', '.join(sorted(idle))}")
    if unknown := {name for name in listed if name + FIRST not in inside}:
        raise ValueError(f"listed, and not of the set: {', '.join(sorted(unknown))}")
    lines = []
    for section, names in ((".text.twins", stay), (".init.text", init)):
        lines.append(f'.section {section}, "ax", @progbits')
        lines += [f".globl {name}\n.type {name}, @function\n{name}:\n    jmp {name}{FIRST}" for name in sorted(names)]
    lines.append('.section .init.rodata, "a"\n.balign 4\n.globl twin_jumps, twin_jumps_end\ntwin_jumps:')
    lines += [f"    .long {name}, {name}{OTHER}" for name in sorted(listed)]
    lines.append('twin_jumps_end:\n.section .note.GNU-stack, "", @progbits')
    return "\n".join(lines)


def main() -> None:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__)
    modes = parser.add_subparsers(dest="mode", required=True)
    modes.add_parser("names")
    asked = modes.add_parser("jumps")
    asked.add_argument("first", type=Path)
    asked.add_argument("other", type=Path)
    asked.add_argument("once", type=Path)
    asked.add_argument("--stay", nargs="*", default=[])
    asked.add_argument("--init", nargs="*", default=[])
    asked.add_argument("--alone", nargs="*", default=[])
    args = parser.parse_args()
    if args.mode == "names":
        sys.stdout.write(header(sys.stdin))
        return
    try:
        with args.first.open() as first, args.other.open() as other, args.once.open() as once:
            print(jumps(first, other, once, args.stay, args.init, args.alone))
    except ValueError as error:
        sys.exit(f"twins: {error}")


if __name__ == "__main__":
    main()
