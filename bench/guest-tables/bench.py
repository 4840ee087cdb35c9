# SPDX-License-Identifier: MIT
"""Tables I to III of the MetalSVM paper: what a Linux guest pays, beside the bare board and a guest under KVM."""

from __future__ import annotations

from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_bare, run_guest, run_kvm, stored

SAMPLES = 1000
# name of the row and of peerbench's line, samples, the tables' figures on MetalSVM (ratio to the Linux-hosted guest)
ROWS = (
    ("page-fault", SAMPLES, "31,978 (79 %), 867,676 (94 %), 43,985 (109 %) ticks"),
    ("getpid", SAMPLES, "626 (60 %), 191 (100 %), 595 (98 %) ticks"),
    ("fork", 500, "301,831 (68 %), 3,101,387 (96 %), 371,381 (106 %) ticks"),
    ("vfork", 500, "117,536 (72 %), 236,207 (107 %), 137,366 (104 %) ticks"),
    ("pthread-create", 500, "40,022,838 (1,088 %), 10,883,839 (67 %), 40,049,784 (3,924 %) ticks"),
    ("jacobi-1", 5, "99e9 (63 %), 3.74e9 (98 %), 2.03e9 (99 %) ticks"),
    ("jacobi-2", 5, "199e9 (63 %), 7.48e9 (98 %), 4.13e9 (101 %) ticks"),
)
SWITCH = "1,347 (96 %), 2,113 (103 %), 2,590 (86 %) ticks"
WORLD_SWITCH = (5, 1350)  # VMRUN to #VMEXIT: instructions that the emulator counts, cycles of silicon
EXTRA = ("mmap-munmap", "segv-repair", "yield-threads", "pipe", "futex")  # not in the paper's tables


def on_silicon(instructions: float) -> float:
    """A way out of a guest and back, with the world switch as silicon has it."""
    counted, real = WORLD_SWITCH
    return instructions - counted + real


def run(ctx: Context) -> list[Row]:
    program = f"peerbench tables {SAMPLES}"
    kvm = stored(ctx, "kvm-tables", lambda: run_kvm(ctx, program))
    exits = stored(ctx, "kvm-exits", lambda: run_bare(ctx, f"kvmbench {SAMPLES}", name="kvm-exits"))
    bare = run_bare(ctx, program)
    guest = run_guest(ctx, "guest.yaml", "bench ended with status 0", timeout=900)
    ways_out = run_guest(ctx, "exits.yaml", "exits: done", "exits", 300)
    hypercall, through = ways_out.need("hypercall", SAMPLES).mid, ways_out.need("yield", SAMPLES).mid
    kvm_call, kvm_run = exits.need("kvm-hypercall", SAMPLES).mid, exits.need("kvm-host-guest-switch", SAMPLES).mid
    unit = "instructions"
    rows = [
        Row(
            "host-guest-switch", hypercall, unit, SWITCH, f"KVM {kvm_call:,}", f"{ways_out.how}: null hypercall and back; KVM: {exits.how}"
        ),
        Row("host-guest-switch-of-kvm", round(hypercall / kvm_call, 3), "ratio", None, None, "host-guest-switch / KVM's"),
        Row(
            "host-guest-switch-of-kvm-silicon",
            round(on_silicon(hypercall) / on_silicon(kvm_call), 3),
            "ratio",
            None,
            None,
            "the same, with the 1,350 cycles that silicon takes for VMRUN to #VMEXIT in place of the emulator's 5 instructions",
        ),
        Row(
            "host-guest-switch-full",
            through,
            unit,
            SWITCH,
            f"KVM_RUN {kvm_run:,}",
            f"{ways_out.how}: hypercall `yield`, which leaves the fast path for the vCPU's thread and the scheduler",
        ),
        Row(
            "host-guest-switch-full-of-kvm",
            round(through / kvm_run, 3),
            "ratio",
            None,
            None,
            "host-guest-switch-full / one KVM_RUN to user space",
        ),
    ]
    for name, samples, paper in (*ROWS, *((name, SAMPLES, None) for name in EXTRA)):
        ours, native, peer = (place.need(name, samples).mid for place in (guest, bare, kvm))
        rows.append(Row(name, ours, unit, paper, f"bare {native:,}; KVM {peer:,}", f"{guest.how}; bare: {bare.how}; KVM: {kvm.how}"))
        rows.append(
            Row(f"{name}-of-bare", round(ours / native, 4), "ratio", None, f"KVM {peer / native:.4f}", f"{name} / the bare board's")
        )
    return rows
