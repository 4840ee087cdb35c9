# SPDX-License-Identifier: MIT
"""`iso`: a bootable CD image of a system."""

from __future__ import annotations

import argparse

from amalgam import paths
from amalgam.cli import describe
from amalgam.ui import working

PC_BOARDS = ("q35", "q35-both")


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "iso",
        "make a bootable CD image",
        "Make build/iso/NAME.iso: GRUB boots the kernel by multiboot2 with the system as its "
        "module. It boots in an emulator (`run SYSTEM --iso`), and written to a USB stick on a PC with BIOS. With guests "
        "it has two kernels, for AMD-V and for VT-x, and the processor says which one is booted; for the board q35-both "
        "it has one kernel for both.",
        ["iso debian", "iso debian --board q35-both"],
    )
    parser.add_argument("system", metavar="SYSTEM", help="a name in systems/ or a path that ends in .yaml")
    parser.add_argument(
        "--board", choices=PC_BOARDS, help="for another board than the system's; q35-both: one kernel for the processors of both makers"
    )


def run(args: argparse.Namespace) -> int:
    from amalgam.build.iso import make_iso_of
    from amalgam.build.moved import move
    from amalgam.system.compile import compile_system, locate_for

    path = locate_for(args.system, "iso")
    with working(f"building {args.system}") as progress:
        system, image = compile_system(path, progress)
        if args.board:
            move(system, args.board)
        iso = make_iso_of(system.shape(), path.stem, image, progress)
    print(paths.shown(iso))
    return 0
