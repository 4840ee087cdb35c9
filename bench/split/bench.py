# SPDX-License-Identifier: MIT
"""What a MiB costs by way of a split disk and a split network: instructions of the guest's CPU and of Linux'."""

from __future__ import annotations

import re
import shutil

from amalgam import paths
from amalgam.artifacts import initrd
from amalgam.artifacts.programs import compile_static
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import linux_machine, quick
from amalgam.errors import UserError
from amalgam.measure import spans
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_to_end, shown_command
from amalgam.system.compile import compile_system
from amalgam.system.units import MIB

WAYS = ("disk-read", "disk-write", "net-receive", "net-send")
LINUX, GUEST = 0, 1  # their CPUs
PIECE = 65536


def run(ctx: Context) -> list[Row]:
    counted = compile_static(paths.CACHE, paths.ROOT / "guests/linux/counted.c", ctx.progress)
    inside = initrd.build(paths.CACHE, ctx.progress, files={"bin/counted": counted, "bin/moves": ctx.folder / "moves"})
    packed = paths.BUILD / "attach" / "bench-split-guest.cpio"
    packed.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(inside, packed)
    _system, image = compile_system(ctx.folder / "guest.yaml", ctx.progress)
    more = {"bin/serves": ctx.folder / "serves", "lib/amalgam/halves.img": image}
    machine = quick(linux_machine(build_initrd(ctx.progress, more, "bench-split"), ctx.progress), ctx.progress)
    machine.cores, machine.memory = 2, 1536 * MIB
    machine.append = "nokaslr norandmaps amalgam.mode=bench amalgam.run=serves"
    out, log = ctx.file("moves.spans"), ctx.file("moves.log")
    words = [*machine.command(), *spans.options(out)]
    words[words.index("tcg")] = spans.TURNS
    ctx.progress("a guest moves its disk and as much over its network")
    run_to_end([*words, "-serial", f"file:{log}"], 1800)
    text, how = log.read_text(errors="replace").replace("\r", ""), shown_command(words)
    size = re.search(r"moved (\d+) pieces", text)
    if not size or tuple(re.findall(r"^(?:\[guest\] )?counted ([\w-]+)$", text, re.M)) != WAYS or "failed" in text:
        raise UserError("the run did not end well. It said last:\n" + "\n".join(text.splitlines()[-12:]), f"run it by hand: {how}")
    rows = []
    for way, span in zip(WAYS, spans.read(out).spans, strict=True):
        for whose, cpu in (("guest", GUEST), ("linux", LINUX)):
            rows.append(
                Row(
                    f"{way}-{whose}",
                    round(span.counts[cpu] * MIB / (int(size[1]) * PIECE)),
                    "instructions a MiB",
                    how=f"{how}: of CPU {cpu}",
                )
            )
    return rows
