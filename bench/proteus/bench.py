# SPDX-License-Identifier: MIT
"""The tables and figures of the Proteus paper, counted on our kernel: instructions by the counting plugin, bytes by size."""

from __future__ import annotations

from amalgam.measure.benches import Context, Row, module

PARTS = ("instructions", "switching", "locks", "worst", "footprint", "linux")


def instructions(ctx: Context) -> list[Row]:
    """The rows that take seconds, for the budgets' test."""
    return module("proteus", "instructions").rows(ctx)


def run(ctx: Context) -> list[Row]:
    rows: list[Row] = []
    for name in PARTS:
        ctx.progress(name)
        rows += module("proteus", name).rows(ctx)
    return rows
