# SPDX-License-Identifier: MIT
"""`build`: the kernel of a shape, or a system with everything it stands on."""

from __future__ import annotations

import argparse
import sys

from amalgam import paths
from amalgam.build.kernel import build_kernel
from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import working


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "build",
        "build the kernel, or a system",
        "Build the kernel of a shape into build/SHAPE/, or a system's image "
        "(build/systems/NAME.img) with the kernel, guests, initrd and disk that it needs.",
        ["build", "build ppc405", "build debian", "build path/to/mine.yaml"],
    )
    parser.add_argument(
        "what", nargs="?", default="pc", metavar="SHAPE|SYSTEM", help=f"a shape ({', '.join(paths.SHAPES)}) or a system; default pc"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show the compiler's command lines")
    parser.add_argument("--no-kernel", action="store_true", help="a system's image only, not the kernel")
    also = parser.add_argument_group("instead of building").add_mutually_exclusive_group()
    also.add_argument("--menuconfig", action="store_true", help="edit config/SHAPE.config")
    also.add_argument("--compile-commands", action="store_true", help="write compile_commands.json for editors and clang-tidy")
    also.add_argument(
        "--lint",
        action="store_true",
        help="gcc -fanalyzer, clang-tidy and cppcheck over the kernel, core/ compiled for RISC-V and i586, ruff over the tools if there",
    )


def run(args: argparse.Namespace) -> int:
    if args.menuconfig or args.compile_commands or args.lint:
        return sources(args)
    if args.what in paths.SHAPES:
        with working("building") as progress:
            made = [build_kernel(args.what, progress, args.verbose)]
    else:
        from amalgam.system.compile import compile_system, kernel_of, locate

        path = locate(args.what)
        with working(f"building {args.what}") as progress:
            made = [] if args.no_kernel else kernel_of(path, progress, args.verbose)
            made.append(compile_system(path, progress)[1])
    for path in made:
        print(paths.shown(path))
    if args.what in paths.SHAPES and (paths.SYSTEMS / f"{args.what}.yaml").is_file():
        print(f"  next: ./amalgam build systems/{args.what}.yaml builds the system of the same name", file=sys.stderr)
    return 0


def sources(args: argparse.Namespace) -> int:
    """What is done with a shape's sources besides building them."""
    from amalgam.build import lint
    from amalgam.build.kernel import menuconfig

    if args.what not in paths.SHAPES:
        raise UserError(f"'{args.what}' is no shape", f"name one of {', '.join(paths.SHAPES)}", 2)
    if args.menuconfig:
        return menuconfig(args.what)
    if args.compile_commands:
        print(paths.shown(lint.compile_commands(args.what)))
        return 0
    with working("lint") as progress:
        return lint.lint(args.what, progress)
