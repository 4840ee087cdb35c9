# SPDX-License-Identifier: MIT
"""`caches`: run a program under the coherence checker and say where it needs a clean, an invalidate or an order."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from amalgam.cli import describe
from amalgam.ui import say, table

REPORTS = 1  # exit status


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "caches",
        "check a program of many cores against caches that are not coherent",
        "Runs the emulator's command with the coherence checker (docs/coherence.md) and prints what the program does that caches without "
        "coherence would not forgive: 0 when nothing was found, 1 when something was. RANGE is LO:HI in hexadecimal, HI the first address "
        "behind, physical. The cores must take turns: give the emulator -icount shift=0,sleep=off or -accel tcg,thread=single.",
        [
            "caches --nc 80200000:80210000 --elf app.elf -- qemu-system-riscv64 -M virt -smp 2 -icount shift=0,sleep=off ...",
            "caches --line 32 --nc 200000:210000 --flag 210000:211000 --json --elf app.elf -- qemu-system-i386 ...",
        ],
    )
    parser.add_argument("--nc", action="append", default=[], metavar="RANGE[:CORE:CORE]", help="memory that these cores cache, each alone")
    parser.add_argument("--own", action="append", default=[], metavar="RANGE:CORE:CORE", help="memory that only these cores may touch")
    parser.add_argument("--flag", action="append", default=[], metavar="RANGE", help="words that nobody caches")
    parser.add_argument("--option", action="append", default=[], metavar="WORD", help="another option of tools/plugin/coherence.c")
    parser.add_argument("--line", type=int, default=64, choices=(32, 64), help="bytes of a cache line (default 64)")
    parser.add_argument("--elf", action="append", default=[], type=Path, metavar="ELF", help="programs that name addresses")
    parser.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help="end the board after so long (default 600)")
    parser.add_argument(
        "--json", action="store_true", help='{"reports": [{"what", "count", "core", "function", "line", ...}], "cores": ...}'
    )
    parser.add_argument("words", nargs="+", metavar="COMMAND", help="the emulator and its options, behind --")


def plugin_words(args: argparse.Namespace) -> list[str]:
    return [
        f"line={args.line}",
        *(f"nc={word}" for word in args.nc),
        *(f"own={word}" for word in args.own),
        *(f"flag={word}" for word in args.flag),
        *args.option,
    ]


def run_board(words: list[str], timeout: int) -> None:
    from amalgam import artifacts
    from amalgam.errors import UserError

    try:
        board = subprocess.Popen(artifacts.counting(words), stdin=subprocess.DEVNULL)
    except OSError as error:
        raise UserError(f"{words[0]}: {error.strerror}", "the emulator's command stands behind --") from error
    try:
        board.wait(timeout)
    except subprocess.TimeoutExpired:
        say(f"coherence: the board ran for {timeout} s and was ended")
    finally:
        if board.poll() is None:
            board.terminate()
            board.wait()


def run(args: argparse.Namespace) -> int:
    from amalgam.binary import codenames
    from amalgam.measure import coherence

    names = codenames.Names(args.elf)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "coherence"
        run_board([*args.words, *coherence.options(out, *plugin_words(args))], args.timeout)
        found = coherence.read(out)
    rows = [coherence.named(report, names) for report in found.reports]
    if args.json:
        cores = {core: {"own": own, "path": path} for core, (own, path) in found.cores.items()}
        took = [{"core": core, "from": other, "lines": lines} for (core, other), lines in found.took.items()]
        made = {"reports": rows, "cores": cores, "took": took, "accesses": found.accesses, "instructions": found.instructions}
        print(json.dumps(made))
    elif rows:
        table(
            f"coherence: {sum(found.kinds().values())} reports at {len(rows)} places",
            ["what", "times", "core", "where", "line", "address", "other core", "its store", "its line"],
            [
                [r["what"], r["count"], str(r["core"]), r["function"], r["line"], f"{r['address']:#x}"]
                + [str(r["other"]), r["other_function"], r["other_line"]]
                for r in rows
            ],
        )
        for kind in found.kinds():
            say(f"{kind}: {coherence.KINDS[kind]}")
    else:
        say(f"coherence: no report; {found.accesses:,} accesses checked of {found.instructions:,} instructions")
    return REPORTS if rows else 0
