# SPDX-License-Identifier: MIT
"""`scc`: the framework of MetalSVM's paper (section IV): merge a board's images, boot a board from them, reset some of its cores."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from amalgam import paths
from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import say, table, working


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "scc",
        "merge the images of an SCC's memory controllers, boot a board from them, reset its cores",
        "What sccMerge, sccBoot and sccReset do for the chip. `merge` writes one image for each of the four memory controllers (kernel, system,\n"
        "start-up code, information for each core) and the rules of the cores' lookup tables, which it checks and shows. `boot` loads them\n"
        "into the emulated board's memory and starts the chosen cores; lines typed go to core 0's control console. With --fleet each core is\n"
        "an emulator of its own. `reset` starts some cores of that board anew, from their images; the others go on.",
        [
            "scc merge scc -o build/scc-images",
            "scc boot build/scc-images",
            "scc boot build/scc-images --cores 0,5,12-17 --command kernels",
            "scc boot build/scc-images --fleet --cores 0-7",
            "scc reset build/scc-images --cores 12-17",
        ],
    )
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    merge = steps.add_parser("merge", help="write one image for each memory controller, show the lookup tables")
    merge.add_argument("system", metavar="SYSTEM", help="a name in systems/ or a path that ends in .yaml, of the scc board")
    merge.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR", help="where the images go")
    merge.add_argument(
        "--json", action="store_true", help='{"system", "images": {controller: path}, "rules": [{core, entry, controller, slice}]}'
    )
    merge.set_defaults(act=run_merge)

    boot = steps.add_parser("boot", help="start a board from merged images")
    boot.add_argument("folder", type=Path, metavar="DIR", help="what merge wrote")
    boot.add_argument("--cores", metavar="LIST", help="the cores that boot, e.g. 0,5,12-17; core 0 must be one (default: all)")
    boot.add_argument("--fleet", action="store_true", help="an emulator for each core (the board scc-fleet)")
    boot.add_argument("--icount", action="store_true", help="count instructions: 1 instruction = 1 ns, every run alike")
    boot.add_argument("--command", action="append", default=[], dest="lines", metavar="LINE", help="run this when all are up, and leave")
    boot.add_argument(
        "--timeout", type=float, default=120, metavar="S", help="longest wait for the kernels, and each command (default 120)"
    )
    boot.set_defaults(act=run_boot)
    again = steps.add_parser("reset", help="start some cores of a board anew, which `boot` runs in another terminal")
    again.add_argument("folder", type=Path, metavar="DIR", help="the folder that the board was booted from")
    again.add_argument("--cores", required=True, metavar="LIST", help="the cores, e.g. 12-17; not core 0")
    again.add_argument("--timeout", type=float, default=300, metavar="S", help="longest wait (default 300)")
    again.set_defaults(act=run_reset)


def run(args: argparse.Namespace) -> int:
    return int(args.act(args))


def run_merge(args: argparse.Namespace) -> int:
    from amalgam.board.machine import machine_for
    from amalgam.scc import rules
    from amalgam.scc.controllers import CONTROLLERS
    from amalgam.scc.merge import image_path, merge
    from amalgam.system.compile import compile_system, kernel_of, locate_for

    path = locate_for(args.system, "scc")
    with working(f"merging {args.system}") as progress:
        kernel_of(path, progress)
        system, image = compile_system(path, progress)
        machine = machine_for(system, image)
        about = {"system": path.stem, "domains": system.speakers}
        made = merge(machine, about, args.folder)
    images = {controller: paths.shown(image_path(args.folder, controller)) for controller in CONTROLLERS}
    if args.json:
        print(json.dumps({"system": path.stem, "images": images, "rules": rules.rows(made)}))
        return 0
    table(
        "lookup tables: controller:slice (address on the emulated board)",
        ["core", "tile", *(f"entry {entry}, {what}" for entry, what in rules.MUST.items())],
        rules.table_rows(made),
    )
    for controller, file in images.items():
        say(f"{controller}: {file}")
    return 0


def run_boot(args: argparse.Namespace) -> int:
    from amalgam.board.echo import echo_consoles
    from amalgam.board.monitor import command
    from amalgam.board.scc import CORES
    from amalgam.scc.boot import booted, listening, serve
    from amalgam.scc.fleet import booted_fleet
    from amalgam.scc.images import Images, cores_from

    if args.fleet and args.icount:
        raise UserError("--icount has no meaning for a fleet: each emulator has a clock of its own", "leave one of them out", 2)
    images = Images(args.folder)
    chosen = cores_from(args.cores) if args.cores else range(CORES)
    started = booted_fleet(images, chosen) if args.fleet else booted(images, chosen, args.icount)
    with listening(args.folder) as listener, started as running:
        if not args.lines:
            echo_consoles(running.board)
        running.board.kernel.expect(rf"scc: all {len(chosen)} kernels are up", args.timeout)
        if not args.lines:
            return serve(running, listener)
        for line in args.lines:
            print(command(running.board, line, args.timeout), end="")
    return 0


def run_reset(args: argparse.Namespace) -> int:
    from amalgam.scc.boot import request
    from amalgam.scc.images import cores_from

    cores = cores_from(args.cores)
    if (answer := request(args.folder, args.cores, args.timeout)) != "ok":
        raise UserError(f"the board did not reset its cores: {answer or 'it ended'}", "it says more in its own terminal")
    say(f"{len(cores)} cores run again")
    return 0
