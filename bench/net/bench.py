# SPDX-License-Identifier: MIT
"""What a driver that is a process pays for its device: registers, and interrupts; and what a program pays for its sockets."""

from __future__ import annotations

from amalgam.benches import Context, Row
from amalgam.counted import run_guest

SAMPLES = 1000
ROWS = {
    "device-read": "a register's value, from the program to the program",
    "device-write": "the interrupt mask, to which the class has no objection",
    "irq-done-nothing": "irq_done() where there is nothing to be done",
    "irq-to-driver": "from before the call that begins the card's counter to the return of irq_wait(), less the counter's time; the core sleeps meanwhile",
}
BOARDS = {"": "card.yaml", "-i586": "card-i586.yaml"}
LOTS, BYTES = 8, 1 << 20
VIRTIO_SAMPLES = 11
VIRTIO = {  # on virt: the program's names, the rows, what they are
    "device-read": ("device-read-virt", ROWS["device-read"]),
    "irq-done-nothing": ("irq-done-nothing-virt", ROWS["irq-done-nothing"]),
    "dma-submit": ("dma-submit", "a request of one piece, of which a virtio device is told"),
    "dma-done": ("dma-done", "a request that the device is done with, taken back"),
}


def sockets(ctx: Context) -> list[Row]:
    """All that runs on the core counts: both stacks, the driver, the kernel."""
    ping = run_guest(ctx, "ping.yaml", "netcost: done", "pings", 120)
    pair = run_guest(ctx, "stacks.yaml", "netcost: done", "talks", 120)
    what = "56 bytes by sendto() until recvfrom() has the answer"
    return [
        Row(
            "ping",
            ping.need("ping", SAMPLES).mid,
            "instructions",
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


def run(ctx: Context) -> list[Row]:
    rows = sockets(ctx)
    for suffix, system in BOARDS.items():
        own = run_guest(ctx, system, "cardcost: done", "card", 120)
        rows += [
            Row(name + suffix, own.need(name, SAMPLES).mid, "instructions", how=f"{own.how}: {what}, median of {SAMPLES}")
            for name, what in ROWS.items()
        ]
    own = run_guest(ctx, "card-virt.yaml", "virtiocost: done", "card", 120)
    return rows + [
        Row(row, own.need(name, VIRTIO_SAMPLES).mid, "instructions", how=f"{own.how}: {what}, 1,024 calls, median of {VIRTIO_SAMPLES}")
        for name, (row, what) in VIRTIO.items()
    ]
