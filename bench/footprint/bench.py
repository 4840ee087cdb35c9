# SPDX-License-Identifier: MIT
"""How many bytes the pc shape takes, by component."""

from __future__ import annotations

from amalgam import paths
from amalgam.measure.benches import Context, Row
from amalgam.measure.sizes import by_component, totals


def run(ctx: Context) -> list[Row]:
    elf = ctx.kernel()
    whole = totals(elf)
    how = "sections of build/pc/amalgam.elf"
    rows = [
        Row("text-resident", whole.code, "bytes", how=f"{how}: .text, the code that is there while the system runs"),
        Row("text-init", whole.init, "bytes", how=f"{how}: .init.text, boot's code, whose memory is freed before the first domain starts"),
        Row("text-total", whole.code + whole.init, "bytes", how=f"{how}: .text and .init.text"),
        Row(
            "text-by-size1",
            whole.text,
            "bytes",
            how=f"{how}: what size(1) calls text, with constants and the table of symbols for backtraces",
        ),
        Row("data-total", whole.data, "bytes", how=how),
        Row("bss-total", whole.bss, "bytes", how=how),
    ]
    both = totals(ctx.kernel("pc-both"))
    rows.append(
        Row(
            "text-both",
            both.code + both.init,
            "bytes",
            how=".text and .init.text of build/pc-both/amalgam.elf, the kernel with both back ends",
        )
    )
    for name, sizes in by_component(elf, paths.kernel_map()).items():
        rows.append(
            Row(f"size1-{name.replace('/', '-').replace(' ', '-').strip('()')}", sizes.text, "bytes", how="link map and debug information")
        )
    return rows
