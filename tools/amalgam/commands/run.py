# SPDX-License-Identifier: MIT
"""`run`: a system on its board, for a person at a terminal or for a script (--exec)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from amalgam.board.chosen import prepared
from amalgam.board.started import Started
from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import say, working

GUEST_BOARDS = ("bochs-both", "bochs-intel", "i586-linux", "q35", "q35-both", "ref405ep")  # that `run guest` knows (system/guest.py)
OF_A_GUEST = ("kernel", "dtb", "initrd", "append", "cpus", "memory", "disk", "boot")


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "run",
        "run a system, or any kernel as a guest",
        "Build what is needed and run a system. On a terminal the domain with the focus has the keyboard: Ctrl-] switches to the control\n"
        "console and back (ppc405: Ctrl-] and a digit to another domain), Ctrl-A x leaves. `run guest --kernel F` hosts a kernel without\n"
        "a system file. `run attach` boots a stock Debian on the bare board, puts the kernel beneath it, starts domains, and undoes it all.\n"
        "`run scc` shows 48 kernels, runs programs on them, and draws who talked to whom.",
        [
            "run debian",
            "run debian --exec linux:'uname -a'",
            "run guest --kernel vmlinuz --initrd initrd.img --append 'console=ttyS0' --cpus 2",
            "run guest --kernel partition.bin --boot raw --memory 16M",
            "run ppc405",
            "run attach",
            "run scc",
            "run scc-fleet",
            "run guest --board ref405ep --kernel rtos.elf --memory 4M",
            "run debian --gdb",
            "run manycore-fleet --gdb",
        ],
    )
    parser.add_argument("system", metavar="SYSTEM", help="a name in systems/, a path that ends in .yaml, 'guest', or 'attach'")
    script = parser.add_argument_group("without a terminal")
    script.add_argument(
        "--exec",
        action="append",
        default=[],
        metavar="DOMAIN:COMMAND",
        help="run COMMAND at the shell of DOMAIN, print what it printed, end with its status; may be repeated, the first failure ends it",
    )
    script.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        help="longest wait for the shell, and for each command (default 300; 1800 on the boards bochs-intel and bochs-both, which are slow)",
    )
    script.add_argument("--console", action="store_true", help="show meanwhile what all domains say (on stderr)")
    board = parser.add_argument_group("the board")
    board.add_argument(
        "--gdb", action="store_true", help="wait for a debugger before the first instruction; a fleet: one for each emulator"
    )
    board.add_argument("--icount", action="store_true", help="count instructions: 1 instruction = 1 ns, every run alike (one core)")
    board.add_argument("--cpu", metavar="MODEL", help="another processor model than the board's")
    board.add_argument(
        "--network",
        default="",
        metavar="WORDS",
        help="more words for the network of a card that a process drives, e.g. hostfwd=tcp:127.0.0.1:8080-:80; `wire`: its cards are on one wire with each other; tap=IF: it is at the host's TAP interface IF",
    )
    board.add_argument("--iso", action="store_true", help="boot from a CD image with GRUB, as a real PC would")
    board.add_argument(
        "--board",
        choices=GUEST_BOARDS,
        help="run guest: default q35; a system for a PC: another board, by a CD image, which has that one's kernel",
    )
    board.add_argument("--logs", type=Path, metavar="DIR", help="with --exec: keep every console's log there")
    board.add_argument(
        "--core", type=Path, metavar="DIR", help="write a core file of each process that dies by a fault, which none survives by a restart"
    )
    board.add_argument(
        "--shell", action="store_true", help="run attach: a shell on that Linux, run scc: core 0's control console, instead of the steps"
    )
    guest = parser.add_argument_group("run guest")
    guest.add_argument(
        "--kernel", type=Path, metavar="F", help="the kernel: bzImage, ELF with PVH note or multiboot header; or any bytes, with --boot raw"
    )
    guest.add_argument("--dtb", type=Path, metavar="F", help="ref405ep: a device tree instead of the board's own")
    guest.add_argument("--initrd", type=Path, metavar="F")
    guest.add_argument("--append", metavar="S", help="its command line (default for Linux: console=ttyS0)")
    guest.add_argument(
        "--cpus", type=int, metavar="N", help="its processors (default 1); ref405ep: cores of the board, any of which may run it"
    )
    guest.add_argument("--memory", metavar="M", help="default 512M; ref405ep: 32M, i586-linux: 16M")
    guest.add_argument("--disk", type=Path, metavar="F", help="a disk image, shown as a virtio block device")
    guest.add_argument(
        "--boot", choices=("linux64", "pvh", "multiboot1", "multiboot2", "raw"), help="how it is entered (default: what its header offers)"
    )


def commands_of(args: argparse.Namespace) -> list[tuple[str, str]]:
    """The (domain, command) pairs of --exec."""
    pairs = []
    for word in args.exec:
        domain, colon, command = word.partition(":")
        if not colon or not domain or not command.strip():
            raise UserError(f"--exec {word!r} is not DOMAIN:COMMAND", "e.g. --exec linux:'uname -a'", 2)
        pairs.append((domain, command))
    return pairs


def refuse_unused(args: argparse.Namespace) -> None:
    """Options that this run would not look at."""
    used = [f"--{key}" for key in OF_A_GUEST if getattr(args, key) is not None]
    if used and args.system != "guest":
        raise UserError(
            f"not for this system, but for 'run guest': {', '.join(used)}",
            f"change the system file, or: ./amalgam run guest {used[0]} ...",
            2,
        )
    if args.shell and args.system not in ("attach", "scc"):
        raise UserError("--shell goes with 'run attach' and 'run scc'", "leave it out: the domain with the focus has the keyboard", 2)


def run(args: argparse.Namespace) -> int:
    from amalgam.board.debugger import hint

    pairs = commands_of(args)
    refuse_unused(args)
    args.iso |= bool(args.board) and args.system not in ("guest", "attach")  # it has that one's kernel
    if args.system == "attach":
        return run_attach(args, pairs)
    if args.system == "scc" and not any((pairs, args.shell, args.icount, args.gdb, args.cpu, args.iso, args.logs)):
        from amalgam.scc import tour

        return tour.run()
    system, machine = prepared(args)
    for domain, _ in pairs:
        if not system.domain(domain):
            raise UserError(f"the system has no domain '{domain}'", f"its domains are {', '.join(d.name for d in system.domains)}", 2)
    if args.gdb:
        say(hint(machine))
    with cores_of(system, machine, args.core):
        return execute(system, machine, pairs, args) if pairs else machine.interactive(system, args.logs)


@contextmanager
def cores_of(system: Any, machine: Any, folder: Path | None) -> Iterator[None]:
    """The board runs meanwhile; then core files of the processes that died, if there is a folder for them: of one machine (NO_CORE)."""
    from amalgam.board.dead import Memory

    if not folder:
        yield
        return
    with Memory(machine.memory) as memory:
        machine.ram = memory.file
        try:
            yield
        finally:
            for line in memory.write_cores(system, machine.kernel, folder):
                say(f"core file written; to look at it:\n  {line}")


def run_attach(args: argparse.Namespace, pairs: list[tuple[str, str]]) -> int:
    """Linux is on the bare board here; its console is the only one."""
    from amalgam.attach import demo

    if args.gdb or args.iso or args.core or args.network or args.board:
        raise UserError("--board, --gdb, --iso, --core and --network do not go with 'run attach'", "leave them out", 2)
    if args.timeout is None:
        args.timeout = Started.PATIENCE
    for domain, _ in pairs:
        if domain != "linux":
            raise UserError(f"'run attach' has no console '{domain}'", "--exec linux:COMMAND; amalgam domain console NAME there", 2)
    return demo.run(args, [command for _, command in pairs])


def execute(system: Any, machine: Started, pairs: list[tuple[str, str]], args: argparse.Namespace) -> int:
    """Run the commands at the domains' shells."""
    from amalgam.board.console import ConsoleError
    from amalgam.board.echo import echo_consoles
    from amalgam.board.shell import await_shell, run_command

    patience = machine.PATIENCE if args.timeout is None else args.timeout
    with machine.board(system.speakers, args.logs) as board:
        if args.console:
            echo_consoles(board)
        ready: set[str] = set()
        for domain, command in pairs:
            try:
                if domain not in ready:
                    with working(f"waiting for the shell of {domain}", quiet=args.console):
                        await_shell(board[domain], patience)
                    ready.add(domain)
                output, status = run_command(board[domain], command, patience)
            except ConsoleError as error:
                if reason := board.failure([domain]):
                    error.status = reason.status
                    error.what = f"{reason.what}: {error.what}"
                raise
            sys.stdout.write(output)
            sys.stdout.flush()
            if status:
                return status
    return 0
