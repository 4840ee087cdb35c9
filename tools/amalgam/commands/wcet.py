# SPDX-License-Identifier: MIT
"""`wcet`: a bound for every routine of the kernel that can run while a guest waits."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from amalgam import paths
from amalgam.cli import describe
from amalgam.ui import say, table, working


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "wcet",
        "worst-case execution times of the ppc405 kernel",
        "Computes from the linked image, by control-flow graph and integer linear programming, a bound for every routine that the "
        "exception vectors reach, beside the paper's figure and the largest count that was measured (bench proteus). Fails when a "
        "routine has no bound: a loop without a mark, a branch whose targets nobody names (docs/wcet.md).",
        ["wcet", "wcet --model 405", "wcet --cores 8 --json", "wcet --explain vm_exit"],
    )
    parser.add_argument(
        "--model",
        default="instructions",
        choices=("instructions", "405"),
        help="cost of an instruction: 1 as in the paper (default), or 405 pipeline cycles",
    )
    parser.add_argument("--cores", type=int, default=4, metavar="N", help="cores that compete for the lock (default 4)")
    parser.add_argument("--kernel", type=Path, metavar="ELF", help="another image than build/ppc405/amalgam.elf")
    parser.add_argument("--explain", metavar="ROUTINE", help="the longest path of one routine, block by block")
    parser.add_argument(
        "--json", action="store_true", help='{"model": ..., "rows": [{"metric", "value", "waits", "paper", "measured", "why"}]}'
    )


def run(args: argparse.Namespace) -> int:
    from amalgam.build.kernel import build_kernel
    from amalgam.errors import UserError
    from amalgam.wcet.code import MODELS
    from amalgam.wcet.flow import Unbounded
    from amalgam.wcet.image import load
    from amalgam.wcet.report import explained, rows

    with working("wcet", quiet=args.json) as progress:
        elf = args.kernel or build_kernel("ppc405", progress)
        image = load(elf)
        progress("longest paths")
        try:
            made, analysis = rows(image, MODELS[args.model], args.cores)
        except Unbounded as error:
            raise UserError(f"the lock itself has no bound: {error}", "docs/wcet.md lists the marks") from error
    if args.explain:
        table(
            f"{args.explain}: longest path ({args.model})",
            ["block", "runs", "instructions", "cost each"],
            explained(analysis, args.explain),
        )
        return 0
    unbounded = [row for row in made if row["value"] is None]
    above = [row for row in made if row["value"] is not None and row["measured"] is not None and row["measured"] > row["value"]]
    if args.json:
        print(json.dumps({"model": args.model, "cores": args.cores, "kernel": paths.shown(elf), "rows": made}))
    else:
        table(
            f"{paths.shown(elf)}: worst case in {'cycles of a 405 pipeline' if args.model == '405' else 'instructions'}, {args.cores} cores",
            ["routine", "bound", "waits for the lock", "paper", "measured"],
            [[row["metric"], row["value"], row["waits"], row["paper"], row["measured"]] for row in made],
        )
    for row in unbounded:
        say(f"wcet: {row['metric']} has no bound: {row['why']}")
    for row in above:
        say(f"wcet: {row['metric']} was measured at {row['measured']}, above its bound {row['value']}: the analysis is wrong")
    return int(bool(unbounded or above))
