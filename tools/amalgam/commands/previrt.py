# SPDX-License-Identifier: MIT
"""`previrt`: what pre-virtualization would change in an ELF file, word by word."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import say, table


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "previrt",
        "report what pre-virtualization changes in an ELF file",
        "Finds the privileged instructions of a PowerPC kernel image and says, for each, which word replaces it, or why it "
        "goes on to trap. The image itself stays as it is: the loader applies the list (docs/previrtualization.md).",
        ["previrt vmlinux", "previrt vmlinux --memory 32 --json"],
    )
    parser.add_argument("elf", type=Path, metavar="ELF")
    parser.add_argument("--memory", type=int, default=16, metavar="MIB", help="memory of the guest (default 16): the stubs lie in it")
    parser.add_argument("--json", action="store_true", help="every site: address, instruction, old word, new word, stub, how or why not")


def run(args: argparse.Namespace) -> int:
    from amalgam.previrt import PrevirtError, patch_elf

    if not args.elf.is_file():
        raise UserError(f"there is no file {args.elf}", "name the ELF file of a guest's kernel")
    try:
        done = patch_elf(args.elf, args.memory << 20)
    except PrevirtError as error:
        raise UserError(str(error), "give an ET_EXEC image of a kernel that fits into --memory") from error
    if args.json:
        print(json.dumps({"stubs": f"{done.area:#x}", "stub_bytes": done.stub_bytes, "sites": [s.record() for s in done.sites]}, indent=1))
        return 0
    for site in done.sites:
        new = f"{site.new:08x}" if site.new is not None else "        "
        say(f"{site.address:08x} {site.old:08x} {new} {site.instruction:14} {site.how}  {site.where}")
    kinds = Counter((s.instruction.split()[0], s.how.split(" of ")[0]) for s in done.sites)
    table("by instruction", ["instruction", "what", "sites"], [[i, h, n] for (i, h), n in sorted(kinds.items())])
    say(f"{sum(s.new is not None for s in done.sites)} of {len(done.sites)} sites patched, {done.stub_bytes} bytes of stubs")
    return 0
