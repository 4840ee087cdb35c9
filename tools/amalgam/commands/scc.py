# SPDX-License-Identifier: MIT
"""`scc`: the framework of MetalSVM's paper (section IV): merge a board's images, boot from them."""

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
        "merge the images of an SCC's memory controllers",
        "What sccMerge does for the chip. `merge` writes one image for each of the four memory controllers (kernel, system, start-up\n"
        "code, information for each core) and the rules of the cores' lookup tables, which it checks and shows.",
        ["scc merge scc -o build/scc-images", "scc merge scc -o build/scc-images --json"],
    )
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    merge = steps.add_parser("merge", help="write one image for each memory controller, show the lookup tables")
    merge.add_argument("system", metavar="SYSTEM", help="a name in systems/ or a path that ends in .yaml, of the scc board")
    merge.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR", help="where the images go")
    merge.add_argument(
        "--json", action="store_true", help='{"system", "images": {controller: path}, "rules": [{core, entry, controller, slice}]}'
    )
    merge.set_defaults(act=run_merge)


def run(args: argparse.Namespace) -> int:
    return int(args.act(args))


def run_merge(args: argparse.Namespace) -> int:
    from amalgam.board.machine import machine_for
    from amalgam.board.scc import SccMachine
    from amalgam.kernel import build_kernel
    from amalgam.scc import rules
    from amalgam.scc.controllers import CONTROLLERS
    from amalgam.scc.merge import image_path, merge
    from amalgam.system.compile import compile_system, locate, shape_of
    from amalgam.system.model import System

    path = locate(args.system)
    if (shape := shape_of(path)) not in ("scc",):
        raise UserError(f"{paths.shown(path)} is of the shape {shape}", "merge a system of the board scc, e.g. systems/scc.yaml", 2)
    with working(f"merging {args.system}") as progress:
        build_kernel(shape, progress)
        system, image = compile_system(path, progress)
        assert isinstance(system, System)
        machine = machine_for(system, image)
        assert isinstance(machine, SccMachine)
        about = {"system": path.stem, "domains": [domain.name for domain in system.domains]}
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
