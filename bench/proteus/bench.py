# SPDX-License-Identifier: MIT
"""The tables and figures of the Proteus paper, counted on our kernel: instructions by the counting plugin, bytes by size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from amalgam.benches import Context, Row

PARTS = ("instructions", "switching", "locks", "footprint", "linux")


def part(name: str):
    """A module of this folder."""
    spec = importlib.util.spec_from_file_location(f"bench_proteus_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def instructions(ctx: Context) -> list[Row]:
    """The rows that take seconds, for the budgets' test."""
    return part("instructions").rows(ctx)


def run(ctx: Context) -> list[Row]:
    rows: list[Row] = []
    for name in PARTS:
        ctx.progress(name)
        rows += part(name).rows(ctx)
    return rows
