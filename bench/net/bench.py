# SPDX-License-Identifier: MIT
"""What a driver that is a process pays for its device: registers, and interrupts; and what a program pays for its sockets."""

from __future__ import annotations

import re
import statistics

from amalgam import paths
from amalgam.artifacts import initrd, programs
from amalgam.board.cards import WIRE
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.counted import Run, run_bare, run_guest, stored
from amalgam.measure.drawing import pyplot

SAMPLES = 1000
ROWS = {
    "device-read": "a register's value, from the program to the program",
    "device-write": "the interrupt mask, to which the class has no objection",
    "irq-done-nothing": "irq_done() where there is nothing to be done",
    "irq-to-driver": "from before the call that begins the card's counter to the return of irq_wait(), less the counter's time; the core sleeps meanwhile",
}
BOARDS = {"": "card.yaml", "-i586": "card-i586.yaml"}
LOTS, BYTES = 8, 1 << 20
FRAMES = 100_000
KEPT = 900  # microseconds that a wire keeps frames
PRIORITIES = {"below": 4, "equal": 8, "above": 12}  # of who serves the network; what computes beside has 8
ROUNDS = 200
MESH = (0, 47)  # cores of an SCC
VIRTIO_SAMPLES = 11
VIRTIO = {  # on virt: the program's names, the rows, what they are
    "device-read": ("device-read-virt", ROWS["device-read"]),
    "irq-done-nothing": ("irq-done-nothing-virt", ROWS["irq-done-nothing"]),
    "dma-submit": ("dma-submit", "a request of one piece, of which a virtio device is told"),
    "dma-done": ("dma-done", "a request that the device is done with, taken back"),
}
CLUSTER = {name: (f"{name}-cluster", what) for name, (_row, what) in VIRTIO.items()}  # where the firmware has the device


def linux(ctx: Context) -> Run:
    """The same program under stock Linux on the bare board, with the same cards; kept, as it changes only with Debian."""

    def measure() -> Run:
        folder = paths.ROOT / "guests" / "linux"
        made = programs.compile_static(
            paths.CACHE, paths.BENCH / "net" / "programs" / "net" / "netcost.c", ctx.progress, paths.BENCH / "include"
        )
        plain = programs.compile_static(paths.CACHE, folder / "plaincard.c", ctx.progress)
        files = {"bin/netcost": made, "bin/plaincard": plain, "bin/netpeer": folder / "netpeer"}
        image = initrd.build(paths.CACHE, ctx.progress, "cards", files)
        run = run_bare(ctx, "netpeer ping", image, name="linux-ping", cards=1)
        run.how += " (ping)"
        for mode in ("stream", "plain"):
            pair = run_bare(ctx, f"netpeer {mode}", image, name=f"linux-{mode}", cards=2, network=WIRE)
            if pair.need("wire-bytes", 0).low < 2 * LOTS * BYTES:
                raise UserError("what Linux sent to itself was not on the wire", "look at guests/linux/netpeer")
            run.how += f"; {pair.how} ({mode})"
            run.figures |= {f"{mode}-{name}": figure for name, figure in pair.figures.items()}
        return run

    return stored(ctx, "linux-net", measure)


def sockets(ctx: Context, peer: Run) -> list[Row]:
    """All that runs on the core counts: both stacks, the driver, the kernel."""
    ping = run_guest(ctx, "ping.yaml", "netcost: done", "pings", 120)
    pair = run_guest(ctx, "stacks.yaml", "netcost: done", "talks", 120)
    what = "56 bytes by sendto() until recvfrom() has the answer"
    return [
        Row(
            "ping",
            ping.need("ping", SAMPLES).mid,
            "instructions",
            peer=f"Linux {peer.need('ping', SAMPLES).mid:,}",
            how=f"{ping.how}: {what} of 10.0.2.2, by ICMP through a driver; median of {SAMPLES}",
        ),
        Row(
            "udp-echo",
            pair.need("udp-echo", SAMPLES).mid,
            "instructions",
            how=f"{pair.how}: {what} of another program; median of {SAMPLES}",
        ),
        Row(
            "tcp-channel",
            round(pair.need("tcp", LOTS).mid / BYTES, 2),
            "instructions",
            how=f"{pair.how}: a byte of a connection over a channel, both ends; median of {LOTS} lots of 1 MiB",
        ),
    ]


def cards(ctx: Context, peer: Run) -> list[Row]:
    """Through two cards, each with a driver and a stack; all on one core."""
    pair = run_guest(ctx, "cards.yaml", "netcost: done", "talks", 120, network=WIRE)
    flood = run_guest(ctx, "flood.yaml", "netcost: done", "talks", 300, network=WIRE)
    late = flood.figures["window-late"]
    return [
        Row(
            "tcp",
            round(pair.need("tcp", 2 * LOTS).mid / BYTES, 2),
            "instructions",
            peer=f"Linux {peer.need('plain-tcp', 2 * LOTS).mid / BYTES:.2f}; where the card cuts and sums {peer.need('stream-tcp', 2 * LOTS).mid / BYTES:.2f}",
            how=f"{pair.how}: a byte of a connection between two cards, both ends and both drivers; 16 MiB, median of {2 * LOTS} lots",
        ),
        Row(
            "window-late",
            late.mid,
            "instructions",
            how=f"{flood.how}: the latest of {late.n:,} windows of the core, beside {FRAMES:,} frames of 60 bytes",
        ),
    ]


def mesh(ctx: Context) -> list[Row]:
    """Between two cores of an SCC, each with a stack: what both execute counts, of stacks and of kernels."""
    pair = run_guest(ctx, "mesh.yaml", "netcost: done", "talks", 300, chosen=MESH)
    said = f"{pair.how}, of which cores {MESH[0]} and {MESH[1]} boot"
    return [
        Row(
            "mesh-ping",
            pair.need("ping", SAMPLES).mid,
            "instructions",
            how=f"{said}: 56 bytes by sendto() to the other core until recvfrom() has the answer, by ICMP; all of both, median of {SAMPLES}",
        ),
        Row("mesh-udp-echo", pair.need("udp-echo", SAMPLES).mid, "instructions", how=f"{said}: the same by UDP to a program there"),
        Row(
            "mesh-tcp",
            round(pair.need("tcp", LOTS).mid / BYTES, 2),
            "instructions",
            how=f"{said}: a byte of a connection, all of both; median of {LOTS} lots of 1 MiB",
        ),
    ]


def rounds(own: Run) -> list[int]:
    """What each window had: `rounds`, eight values."""
    return [int(word) for words in re.findall(r"^rounds((?: \d+){8})\s*$", own.text, re.MULTILINE) for word in words.split()]


def window(ctx: Context) -> list[Row]:
    """How much less a domain computes in its windows while frames come, of which some do within each."""
    answered: list[str] = []
    later = ["-object", f"filter-buffer,id=later,netdev=net0,queue=tx,interval={KEPT}"]
    alone = run_guest(ctx, "windows-alone.yaml", "windowcost: done", "work", 120)
    own = run_guest(
        ctx,
        "windows.yaml",
        "windowcost: done",
        "work",
        300,
        network=WIRE,
        extra=later,
        ask=lambda board: answered.append(board["talks"].text),
    )
    whole, each = statistics.mean(rounds(alone)), rounds(own)
    shorter = [n < 0.9999 * whole for n in each]
    asked = each[shorter.index(True) if any(shorter) else 0 :]  # before, nobody has asked yet
    disturbed = sum(shorter)
    if "all are answered" not in answered[0] or disturbed < len(asked) / 2:
        raise UserError(f"frames came within {disturbed} of {len(asked)} windows: the row says nothing", "look at bench/net/windows.yaml")
    return [
        Row(
            "window-slower",
            round(1e6 * (1 - statistics.mean(asked) / whole), 1),
            "ppm",
            how=f"{own.how} {' '.join(later)}: what a domain computes less in {len(asked)} windows of 2 of 10 ms, "
            f"beside {FRAMES:,} frames of 60 bytes, which came within {disturbed} of them; at most {1e6 * (1 - min(asked) / whole):.0f} in one",
        )
    ]


def took(own: Run, priority: int) -> list[int]:
    """What each question took, in their order: `rounds PRIORITY eight values`."""
    lines = re.findall(rf"^rounds {priority}((?: \d+)+)\s*$", own.text, re.MULTILINE)
    return [int(word) for words in lines for word in words.split()]


def plot(ctx: Context, own: Run) -> None:
    """Scatter plots one above the other: how long each question took, by the priority of who answers."""
    plt = pyplot()
    figure, axes = plt.subplots(len(PRIORITIES), 1, figsize=(8, 8), sharex=True, sharey=True)
    for axis, (where, priority) in zip(axes, PRIORITIES.items(), strict=True):
        axis.scatter(range(ROUNDS), [ticks / 1000 for ticks in took(own, priority)], s=3)
        axis.set_title(f"network thread's priority {priority}, {where} what computes (8)", fontsize=10)
        axis.set_ylabel("us")
        axis.set_yscale("log")
    axes[-1].set_xlabel("question")
    figure.tight_layout()
    figure.savefig(ctx.file("fig3b.png"), dpi=120, metadata={"Software": None})
    plt.close(figure)


def beside(ctx: Context) -> tuple[Run, list[Row]]:
    """A server whose network threads have another priority by and by, beside a domain that computes most of the time."""
    own = run_guest(ctx, "beside.yaml", "netcost: done", "talks", 300)
    rows = []
    for where, priority in PRIORITIES.items():
        what = f"priority {priority} of the server's threads, 8 of a domain that computes 8 of 10 ms"
        latency, stream = own.need(f"latency-{priority}", ROUNDS), own.need(f"stream-{priority}", LOTS)
        rows += [
            Row(f"latency-{where}", latency.mid, "instructions", how=f"{own.how}: as udp-echo, {what}; median of {ROUNDS}"),
            Row(f"latency-{where}-worst", max(took(own, priority)), "instructions", how=f"{own.how}: the longest of them"),
            Row(
                f"stream-{where}", round(stream.mid / BYTES, 2), "instructions", how=f"{own.how}: as tcp-channel, {what}; median of {LOTS}"
            ),
        ]
    return own, rows


def virtio(ctx: Context, system: str, console: str, names: dict[str, tuple[str, str]]) -> list[Row]:
    """Calls of a virtio card's driver."""
    card = run_guest(ctx, system, "virtiocost: done", console, 120)
    return [
        Row(row, card.need(name, VIRTIO_SAMPLES).mid, "instructions", how=f"{card.how}: {what}, 1,024 calls, median of {VIRTIO_SAMPLES}")
        for name, (row, what) in names.items()
    ]


def without_plots(ctx: Context) -> list[Row]:
    """What the budgets are about."""
    return measured(ctx)[1]


def run(ctx: Context) -> list[Row]:
    own, rows = measured(ctx)
    plot(ctx, own)
    return rows + module("net", "hourglass").flooded(ctx, PRIORITIES)


def measured(ctx: Context) -> tuple[Run, list[Row]]:
    own, rows = beside(ctx)
    peer = linux(ctx)
    rows = sockets(ctx, peer) + cards(ctx, peer) + window(ctx) + mesh(ctx) + rows
    for suffix, system in BOARDS.items():
        card = run_guest(ctx, system, "cardcost: done", "card", 120)
        rows += [
            Row(name + suffix, card.need(name, SAMPLES).mid, "instructions", how=f"{card.how}: {what}, median of {SAMPLES}")
            for name, what in ROWS.items()
        ]
    return own, rows + virtio(ctx, "card-virt.yaml", "card", VIRTIO) + virtio(ctx, "card-manycore.yaml", "io", CLUSTER)
