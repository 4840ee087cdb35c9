# SPDX-License-Identifier: MIT
"""How long the way is: from the kernel's entry to the first guest, and to a guest's user space beside the bare board's."""

from __future__ import annotations

import re

from amalgam import artifacts
from amalgam.board.machine import Machine
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import Run, run_bare, run_guest, run_to_end, shown_command
from amalgam.paths import BUILD
from amalgam.system.units import MIB

ENTERED = re.compile(r"^hello: boot=pvh .*entered=(\d+)", re.MULTILINE)
UP = re.compile(r"^amalgam-init: up (\d+\.\d+) s", re.MULTILINE)


def found(pattern: re.Pattern[str], run: Run) -> str:
    match = pattern.search(run.text)
    if not match:
        raise UserError(f"the run did not say /{pattern.pattern}/:\n{run.text[-600:]}", "run it by hand: " + run.how)
    return match[1]


def bare_hello(ctx: Context) -> Run:
    """The same guest as the board's own kernel: what firmware and loader take."""
    artifacts.make_guests(ctx.progress)
    log = ctx.file("bare-hello.log")
    words = Machine(cores=1, memory=512 * MIB, kernel=BUILD / "guests" / "hello.elf", icount=True).command()
    run_to_end([*words, "-serial", f"file:{log}", "-monitor", "none"], 120)
    return Run(shown_command(words), text=log.read_text(errors="replace").replace("\r", ""))


def first_guest(ctx: Context) -> list[Row]:
    """From the kernel's entry to the first guest's."""
    bare, hosted = bare_hello(ctx), run_guest(ctx, "hello.yaml", "hello: end", "hello", 120)
    first = int(found(ENTERED, hosted)) - int(found(ENTERED, bare))
    how = f"{hosted.how}: the guest's TSC at its entry, less the same of the same guest on the bare board ({bare.how}), which is firmware and loader"
    return [Row("entry-to-guest", first, "instructions", None, None, how)]


def run(ctx: Context) -> list[Row]:
    native = run_bare(ctx, "peerbench clock", name="native")
    guest = run_guest(ctx, "linux.yaml", "bench ended with status 0")
    ours, theirs = guest.need("clock").mid, native.need("clock").mid
    up, native_up = float(found(UP, guest)), float(found(UP, native))
    return [
        *first_guest(ctx),
        Row(
            "userspace",
            ours,
            "instructions",
            None,
            f"bare {theirs:,}",
            f"{guest.how}: TSC since reset in the first program; bare: {native.how}",
        ),
        Row("userspace-of-bare", round(ours / theirs, 4), "ratio", None, None, "userspace / the bare board's"),
        Row(
            "uptime-of-bare",
            round(up / native_up, 4),
            "ratio",
            None,
            f"bare {native_up} s",
            f"/proc/uptime in init: {up} s; the decompressor is not in it",
        ),
    ]
