# SPDX-License-Identifier: MIT
"""`size`: bytes of the kernel by component, held against the budget."""

from __future__ import annotations

import argparse
import json

from amalgam import paths
from amalgam.cli import describe
from amalgam.ui import say, table


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "size",
        "bytes of the kernel by component",
        "Text (code, code that is freed after boot, constants: as size(1) counts), data and bss of the built kernel by component, held "
        "against bench/budgets/footprint.yaml (footprint-SHAPE.yaml for another shape than pc).",
        ["size", "size --shape ppc405", "size --json"],
    )
    parser.add_argument("--shape", default="pc", choices=paths.SHAPES)
    parser.add_argument(
        "--json",
        action="store_true",
        help='{"shape": ..., "total": {"text", "code", "init", "init_rodata", "rodata", "data", "bss"}, "components": {...}}',
    )


def run(args: argparse.Namespace) -> int:
    from amalgam.measure.budgets import exceeded, held
    from amalgam.measure.sizes import Sizes, by_component, totals

    def record(s: Sizes) -> dict[str, int]:
        return {
            "text": s.text,
            "code": s.code,
            "init": s.init,
            "init_rodata": s.init_rodata,
            "rodata": s.rodata,
            "data": s.data,
            "bss": s.bss,
        }

    whole = totals(paths.kernel_elf(args.shape))
    parts = by_component(paths.kernel_elf(args.shape), paths.kernel_map(args.shape))
    bench = "footprint" if args.shape == "pc" else f"footprint-{args.shape}"
    over = exceeded(
        bench,
        {
            "text-resident": whole.code,
            "text-total": whole.code + whole.init,
            "text-by-size1": whole.text,
            "data-total": whole.data,
            "bss-total": whole.bss,
        },
    )
    if args.json:
        print(
            json.dumps(
                {
                    "shape": args.shape,
                    "total": record(whole),
                    "components": {name: record(s) for name, s in parts.items()},
                    "exceeded": over,
                }
            )
        )
    else:
        rows = [[name, *record(s).values()] for name, s in parts.items()]
        table(
            f"{args.shape}: bytes by component",
            ["component", "text", "code", "init", "init rodata", "rodata", "data", "bss"],
            [*rows, ["total", *record(whole).values()]],
        )
        for sentence in over:
            say(f"over budget: {sentence}")
    return int(held(bench, over))
