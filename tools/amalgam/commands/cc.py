# SPDX-License-Identifier: MIT
"""`cc`: compile and link a C program for a process."""

from __future__ import annotations

import argparse
import sys

from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import say


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "cc",
        "compile a program for a process",
        "Compile C and assembly, and link a static position-independent program with the C library of processes (docs/programs.md).\n"
        "C, assembly, C++ by its suffix (.cc, .cpp), Rust (.rs, where rustc is installed): docs/programs.md says what of them there is.\n"
        "Everything is handed to gcc as it stands, with the words that processes need; its messages and its status are gcc's own. Five words\n"
        "before all are ours: --machine x86_64 (the usual one), i386, riscv64 or riscv32; --nanvix for a program of libnanvix, whose threads\n"
        "sleep while they wait, or --nanvix=spin (docs/nanvix.md); --net for a program with sockets (docs/network.md);\n"
        "--disk for one with files on a disk (docs/files.md);\n"
        "--shell for one that a shell starts, or that reads the console (docs/shell.md). --rcce instead: a native program of the SCC, --rcce=process: a process\n"
        "there (docs/scc.md); --openmp: a native one for OpenMP on its cores (docs/openmp.md).\n"
        "The first use builds the C library into .cache/, about a minute.",
        [
            "cc hello.c -o hello",
            "cc --machine riscv64 hello.c -o hello",
            "cc --nanvix application.c -o application",
            "cc --net server.c -o server",
            "cc --shell tool.c -o tool",
            "cc --rcce pingpong.c -o pingpong",
            "cc --rcce=process pingpong.c -o pingpong",
            "cc --openmp jacobi.c -o jacobi",
            "cc -O2 -Wall -Iinclude -c part.c -o part.o",
            "cc main.o part.o start.S -o program -lm",
        ],
    )
    parser.add_argument("words", nargs="*", metavar="FILE|OPTION", help="gcc's")
    parser.set_defaults(usage=parser.format_help)
    parser.prefix_chars = "\0"  # options are gcc's: none is ours


OURS = ("--machine", "--nanvix", "--net", "--disk", "--shell")
NANVIX = {"--nanvix": "sleep", "--nanvix=spin": "spin", "--nanvix=remote": "remote"}


def tell(text: str) -> None:
    """What takes a while."""
    if text.startswith("building"):
        say(f"amalgam: {text}")


def run(args: argparse.Namespace) -> int:
    if args.words in (["-h"], ["--help"]):
        print(args.usage(), end="")
        return 0

    from amalgam.artifacts.machines import MACHINES, USUAL
    from amalgam.build.programs import DISK, INHERITS, NET, STOPS_BEFORE_LINKING, compile_program, inputs, toolchain

    if args.words[:1] in (["--rcce"], ["--openmp"]):
        return native(args.words[0], args.words[1:])
    if args.words[:1] == ["--rcce=process"]:
        return rcce_process(args.words[1:])
    words, machine, nanvix, part = args.words, USUAL, "", ""
    parts = {"--net": NET, "--disk": DISK}
    inherits: list[str] = []
    while words and words[0].startswith(OURS):
        if words[0] in parts:
            if part not in ("", parts[words[0]]):
                raise UserError("'cc' takes --net or --disk", "make two programs, with a channel between them", 2)
            words, part = words[1:], parts[words[0]]
            continue
        if words[0] == "--shell":
            words, inherits = words[1:], [INHERITS]
            continue
        if words[0].startswith("--nanvix"):
            if words[0] not in NANVIX:
                raise UserError(f"'cc {words[0]}': there are {', '.join(NANVIX)}", "./amalgam cc --nanvix app.c -o app", 2)
            words, nanvix = words[1:], NANVIX[words[0]]
            continue
        if len(words) < 2 or words[1] not in MACHINES:
            raise UserError(f"'cc --machine' takes one of {', '.join(MACHINES)}", "./amalgam cc --machine riscv64 hello.c -o hello", 2)
        words, machine = words[2:], MACHINES[words[1]]
    if not inputs(words):
        raise UserError("'cc' was given no file to compile", "./amalgam cc hello.c -o hello", 2)
    tree = toolchain(tell, machine, part)
    sys.stdout.flush()
    if any(word in STOPS_BEFORE_LINKING for word in words):
        inherits = []
    return compile_program([*inherits, *words], tree, machine, nanvix)


def native(option: str, words: list[str]) -> int:
    """A native program with RCCE or OpenMP."""
    from amalgam.artifacts.rcce import OPENMP, RCCE
    from amalgam.build.natives import compile_program, toolchain
    from amalgam.build.programs import inputs

    if not inputs(words):
        raise UserError(f"'cc {option}' was given no file to compile", f"./amalgam cc {option} program.c -o program", 2)
    runtime = OPENMP if option == "--openmp" else RCCE
    tree = toolchain(tell, runtime)
    sys.stdout.flush()
    return compile_program(words, tree, runtime)


def rcce_process(words: list[str]) -> int:
    """A process of the SCC with RCCE."""
    from amalgam.artifacts.machines import MACHINES
    from amalgam.artifacts.rcce import process_words
    from amalgam.build.programs import RCCE, STOPS_BEFORE_LINKING, compile_program, inputs, toolchain

    if not inputs(words):
        raise UserError("'cc --rcce=process' was given no file to compile", "./amalgam cc --rcce=process program.c -o program", 2)
    machine = MACHINES["i386"]
    tree = toolchain(tell, machine, RCCE)
    sys.stdout.flush()
    links = not any(word in STOPS_BEFORE_LINKING for word in words)
    return compile_program(process_words(words) if links else words, tree, machine)
