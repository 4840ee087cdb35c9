# SPDX-License-Identifier: MIT
"""`run attach`: what the shape is for, step by step, on a stock Debian."""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass

from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine
from amalgam.board.console import Console
from amalgam.board.echo import line_printer
from amalgam.board.lifetime import end, pass_on_errors, spawn
from amalgam.board.shell import await_shell, run_command
from amalgam.errors import UserError
from amalgam.system.compile import compile_system, locate
from amalgam.system.units import MIB
from amalgam.ui import say, working

CORES, MEMORY = 4, 2048 * MIB
SYSTEM = "attach"
"""The system of domains that is created beside Linux: systems/attach.yaml."""


@dataclass(frozen=True)
class Step:
    why: str
    command: str


STEPS = (
    Step("reserve memory and prepare the kernel in it", "amalgam load"),
    Step("put it beneath this Linux", "amalgam attach"),
    Step("what there is", "amalgam status"),
    Step(
        "take it out and put it in 100 times, while programs run",
        "amalgam detach; amalgam-stress 0 & amalgam cycle 100; kill %1; wait %1; amalgam attach",
    ),
    Step("give two CPUs and memory, and start a system of domains there", "amalgam domain create /lib/amalgam/system.img"),
    Step("a real-time partition and a Linux guest run beside this Linux", "amalgam domain list"),
    Step("the guest boots", "n=0; while ! amalgam log guest | grep amalgam-init; do sleep 2; n=$((n + 1)); [ $n -lt 60 ] || exit 1; done"),
    Step(
        "the partition says how late its windows began",
        "n=0; while ! amalgam log rt | grep lat; do sleep 2; n=$((n + 1)); [ $n -lt 60 ] || exit 1; done",
    ),
    Step("end them, take everything back", "amalgam domain destroy"),
    Step("take the kernel out", "amalgam detach"),
    Step("nothing is left behind", "amalgam unload; rmmod amalgam; dmesg | tail -3"),
)


def machine_of(args: argparse.Namespace) -> LinuxMachine:
    """Everything built."""
    with working("building attach") as progress:
        system, image = compile_system(locate(SYSTEM), progress)
        machine = linux_machine(build_initrd(progress, {"lib/amalgam/system.img": image}), progress)
    machine.cores, machine.memory, machine.icount = (1 if args.icount else CORES), MEMORY, args.icount
    machine.accel = "tcg,thread=single"  # CPUs that wait for each other do it in turns, not against each other
    machine.cpu = args.cpu or machine.cpu
    return machine


def run(args: argparse.Namespace, commands: list[str]) -> int:
    """The steps, or the commands of --exec, or a shell for a person."""
    machine = machine_of(args)
    if args.shell:
        return shell(machine)
    with machine.board(args.logs) as board:
        if args.console:
            board.console.listen(line_printer("linux| "))
        with working("waiting for the shell of linux", quiet=args.console):
            await_shell(board.console, args.timeout)
        for line in commands:
            output, status = run_command(board.console, line, args.timeout)
            sys.stdout.write(output)
            sys.stdout.flush()
            if status:
                return status
        return 0 if commands else steps(board.console, args.timeout)


def shell(machine: LinuxMachine) -> int:
    """The serial line is our terminal."""
    say("Ctrl-A x leaves; start with: amalgam load")
    words = machine.command()
    words[words.index("-monitor") : words.index("-monitor") + 2] = ["-serial", "mon:stdio"]
    process = spawn(words, stderr=subprocess.PIPE)
    pass_on_errors(process)
    try:
        return process.wait()
    finally:
        end(process)
        if sys.stdin.isatty():
            subprocess.run(["stty", "sane"], check=False)


def steps(console: Console, timeout: float) -> int:
    """Show each; the first failure ends it."""
    for step in STEPS:
        print(f"\n# {step.why}\nlinux# {step.command}", flush=True)
        output, status = run_command(console, step.command, timeout)
        print(output, end="", flush=True)
        if status:
            raise UserError(f"`{step.command}` ended with status {status}", "./amalgam run attach --shell, and try by hand")
    return 0
