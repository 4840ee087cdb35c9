# SPDX-License-Identifier: MIT
"""What leaving a guest costs, way by way, beside KVM; and how often a stock Linux leaves."""

from __future__ import annotations

import re

from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.shell import await_shell, run_command
from amalgam.errors import UserError
from amalgam.measure import plugin
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_bare, run_guest, stored
from amalgam.measure.visits import text_range

SAMPLES = 1000
# row, KVM's line of the same way out, what the papers have
WAYS = (
    ("hypercall", "kvm-hypercall", "Proteus: vm_yield 152 cycles"),
    ("yield", None, "Proteus: vm_yield 152 cycles"),
    ("cpuid", "kvm-cpuid", None),
    ("cpuid-user", None, None),
    ("msr", "kvm-msr", "Proteus: mfmsr 136 cycles"),
    ("msr-write", None, "Proteus: mtmsr 155 cycles"),
    ("pio", "kvm-pio-kernel", None),
    ("uart-byte", "kvm-pio-kernel", None),
    ("nested-fault", "kvm-mmio-user", None),
    ("timer-arm", None, None),
    ("apic-read", None, None),
    ("eoi", None, None),
    ("inject", None, None),
    ("ipi", None, None),
)
SECONDS = 10


def counted_rows(ctx: Context) -> list[Row]:
    """Rows of guests/exits.c."""
    kvm = stored(ctx, "kvm-exits", lambda: run_bare(ctx, f"kvmbench {SAMPLES}", name="kvm-exits"))
    ours = run_guest(ctx, "exits.yaml", "exits: done", "exits", 300)
    pair = run_guest(ctx, "switch.yaml", "exits: done", "exits", 300)
    unit = "instructions"
    rows = []
    for name, peer, paper in WAYS:
        beside = f"KVM {kvm.need(peer, SAMPLES).mid:,}" if peer else None
        rows.append(
            Row(name, ours.need(name, SAMPLES).mid, unit, paper, beside, f"{ours.how}: median of {SAMPLES} round trips seen by the guest")
        )
    switch = pair.need("vm-switch", SAMPLES).mid
    rows.append(
        Row(
            "vm-switch",
            switch,
            unit,
            "Proteus: 1,056 cycles",
            f"KVM {kvm.need('kvm-vm-switch', SAMPLES).mid:,}",
            f"{pair.how}: half of a yield that comes back, median of {SAMPLES}",
        )
    )
    return rows


def kernel_path(ctx: Context, system: str) -> dict[str, list[int]]:
    """For each kind of way out, the counts from #VMEXIT to VMRUN that came up in at least nine of ten samples."""
    counter, found = plugin.built("vmexits", ctx.folder), ctx.file(f"vmexits-{system.split('.')[0]}")

    def quit_board(board: Board) -> None:
        board.kernel.send("quit\n")
        board.wait(60)

    found.unlink(missing_ok=True)
    first, end = text_range(paths.kernel_elf())
    run_guest(
        ctx,
        system,
        "exits: done",
        "exits",
        600,
        ask=quit_board,
        extra=["-plugin", f"{counter},out={found},kernel={first}:{end}", "-d", "plugin", "-D", "/dev/null"],
    )
    counts: dict[str, list[int]] = {}
    for line in found.read_text(encoding="ascii").splitlines():
        _, kind, count, times = line.split()
        if int(times) >= SAMPLES * 0.9:
            counts.setdefault(kind, []).append(int(count))
    return counts


def in_kernel(ctx: Context, visible: dict[str, float]) -> list[Row]:
    """Instructions of the kernel alone, counted by a plugin of the simulator: what fits under the guest's round trip."""
    alone, pair = kernel_path(ctx, "exits.yaml"), kernel_path(ctx, "switch.yaml")
    how = "bench/exits/vmexits.c on {}: instructions from #VMEXIT to the next VMRUN"
    rows = []
    for name, kind, system, paper in (
        ("hypercall", "vmmcall", "exits.yaml", None),
        ("cpuid", "cpuid", "exits.yaml", None),
        ("msr", "rdmsr", "exits.yaml", None),
        ("uart-byte", "out", "exits.yaml", None),
        ("vm-switch", "vmmcall", "switch.yaml", "Proteus: 1,056 cycles"),
    ):
        counts = (pair if system == "switch.yaml" else alone).get(kind, [])
        below = [count for count in counts if count <= visible[name]]
        if not below:
            raise UserError(f"the plugin saw no {SAMPLES} ways out by {kind} that fit into {visible[name]}: {counts}")
        rows.append(Row(f"{name}-kernel", max(below), "instructions", paper, None, how.format(system)))
    return rows


def counters(board: Board) -> dict[str, int]:
    """All exits of the guest by reason, and their sum."""
    text = command(board, "stats linux")
    found = {
        name: int(count)
        for name, count in re.findall(r"\b([a-z]+) (\d+)(?=[,\n])", "\n".join(line for line in text.splitlines() if "vcpu" in line) + "\n")
    }
    found.pop("core", None)
    if "irq" not in found and "fast" not in found:
        raise UserError(f"`stats linux` shows no exits:\n{text}")
    return found


def total(counts: dict[str, int]) -> int:
    """All exits: halts and kicks say why, they are no exits of their own."""
    return sum(count for name, count in counts.items() if name not in ("halts", "kicks"))


def during(board: Board, what: str) -> tuple[dict[str, int], float]:
    """Exits while the guest ran `what`, and how long that took by the guest's clock."""
    before = counters(board)
    said, status = run_command(board["linux"], f"cut -d' ' -f1 /proc/uptime; {what}; cut -d' ' -f1 /proc/uptime", 300)
    after = counters(board)
    times = [float(word) for word in re.findall(r"^\d+\.\d+$", said, re.MULTILINE)]
    if status or len(times) != 2:
        raise UserError(f"the guest ended {what!r} with status {status}: {said!r}")
    return {name: after[name] - before.get(name, 0) for name in after}, times[1] - times[0]


def rates(ctx: Context) -> list[Row]:
    with ctx.board("linux.yaml") as board:
        ctx.progress("exits of an idle and of a busy Linux")
        await_shell(board["linux"], 240)
        typing, _ = during(board, ":")
        idle, idle_time = during(board, f"sleep {SECONDS}")
        busy, busy_time = during(board, f"timeout {SECONDS} sh -c 'while :; do :; done' || :")
        forks, fork_time = during(board, f"timeout {SECONDS} sh -c 'while :; do /bin/true; done' || :")
    base = total(typing)
    how = "./amalgam run bench/exits/linux.yaml, `stats linux` before and after, less the exits of typing the command"
    rows = []
    for name, counts, seconds in (("idle", idle, idle_time), ("busy", busy, busy_time), ("forking", forks, fork_time)):
        by_reason = ", ".join(f"{key} {value}" for key, value in sorted(counts.items(), key=lambda item: -item[1]) if value)
        rows.append(
            Row(
                f"exits-per-second-{name}",
                round(max(0, total(counts) - base) / seconds, 1),
                "exits/s",
                None,
                None,
                f"{how}; {seconds:.1f} s: {by_reason}",
            )
        )
    return rows


def run(ctx: Context) -> list[Row]:
    seen = counted_rows(ctx)
    return [*seen, *in_kernel(ctx, {row.metric: row.value for row in seen}), *rates(ctx)]
