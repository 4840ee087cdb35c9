# SPDX-License-Identifier: MIT
"""A system of clusters in memory. Limits and addresses are those of firmware/manycore/table.h and of QEMU's machine `virt`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from amalgam.system import driven
from amalgam.system.layout import CLUSTER_TABLE
from amalgam.system.model import FileRef, System
from amalgam.system.source import Mark, Placed
from amalgam.system.units import GIB, KIB, MIB

FIRMWARE = CLUSTER_TABLE.constants
RAM = FIRMWARE["FW_BASE"]
RAM_END = 4 * GIB
TABLE = FIRMWARE["FW_TABLE"]  # images and device trees follow
COPY_UNIT = FIRMWARE["FW_COPY_UNIT"]
MAX_HARTS = FIRMWARE["FW_HARTS"]
MAX_CLUSTERS = FIRMWARE["FW_CLUSTERS"]
SLICES = tuple(2 * MIB << i for i in range(6))  # 2 to 64 MiB
OUTBOXES = tuple(4 * KIB << i for i in range(9))  # 4 KiB to 1 MiB
DOORBELLS, DOORBELLS_SIZE = 0x2F00000, 0x4000  # ACLINT SSWI: a word a hart
# A fleet's device (firmware/manycore/ivshmem.c): where its configuration space is, where the firmware puts its memory and its registers
DEVICE_SLOT = 1
DEVICE = 0x30000000 + (DEVICE_SLOT << 15)
SHARED, REGISTERS = 0x40000000, 0x60000000
# Virtio devices by registers in memory: so far apart, with an input each of the PLIC
VIRTIO, VIRTIO_STEP, VIRTIO_IRQ = 0x10001000, 0x1000, 1
RING_AT = 12  # a cluster's number in the upper half of this register rings its master
PAGE = 4 * KIB
TIMEBASE = 10_000_000  # mtime's ticks a second
TICKS_A_US = TIMEBASE // 1_000_000
ONE_MACHINE, FLEET = "manycore", "manycore-fleet"  # families of boards (system/families.py)
DMA_CLUSTER = 17  # harts of a cluster whose last one is its DMA engine, unless it says otherwise (MPPA-256)


class Kind(IntEnum):
    COMPUTE = FIRMWARE["FW_COMPUTE"]
    IO = FIRMWARE["FW_IO"]


@dataclass
class Image:
    """A kernel as it lies in a slice: from its first byte on; `room` is what it takes with its bss."""

    data: bytes
    entry: int  # an offset
    room: int


@dataclass
class Cluster(Placed):
    name: str
    number: int
    kind: Kind
    harts: int
    memory: int
    dma: bool  # its last hart is a DMA engine
    kernel: FileRef | None
    cmdline: str
    module: FileRef | None = None  # a file beside the kernel
    own: System | None = None  # its domains; clusters of one entry share it
    kills: list[int] = field(default_factory=list)  # ticks of mtime
    driven: list[tuple[str, Mark]] = field(default_factory=list)  # names of devices, for a kernel of its own that has no domains
    awake: int = 0  # how many of its harts besides the master may be awake at the same time; 0: all
    master: int = 0  # its hart that serves
    first_slave: int = 0  # its harts but the master follow each other from here on: number_harts()
    # filled in by files.py and place.py
    image: Image | None = None
    module_data: bytes = b""
    base: int = 0
    outbox: int = 0
    tree: bytes = b""

    @property
    def devices(self) -> list[tuple[str, Mark]]:
        """What it drives: names."""
        return self.driven + [one for domain in (self.own.domains if self.own else ()) for one in domain.driven]

    @property
    def own_harts(self) -> list[int]:
        """The master first."""
        return [self.master, *range(self.first_slave, self.first_slave + self.harts - 1)]

    @property
    def tree_at(self) -> int:
        """Where its device tree lies: at the end of the slice."""
        return self.base + self.memory - -(-len(self.tree) // COPY_UNIT) * COPY_UNIT

    @property
    def module_at(self) -> int:
        """Where its module begins, on a page of its own below the tree; without one the same as `tree_at`."""
        return (self.tree_at - len(self.module_data)) // PAGE * PAGE if self.module_data else self.tree_at


def number_harts(clusters: list[Cluster], fleet: bool = False) -> None:
    """Masters are the board's first harts, so that one range of doorbells is all that clusters ring of each other
    (firmware/manycore/pmp.c); behind them the others, of one cluster after the other. In a fleet each cluster is a board."""
    next_hart = len(clusters)
    for cluster in clusters:
        cluster.master, cluster.first_slave = (0, 1) if fleet else (cluster.number, next_hart)
        next_hart += cluster.harts - 1


@dataclass
class Kill(Placed):
    """A moment at which a cluster is stopped and started again."""

    cluster: str
    at_ticks: int


@dataclass
class Board(Placed):
    name: str
    machine: str
    emulator: str
    cpu: str  # as the emulator calls it, with its extensions
    bits: int
    max_harts: int
    max_memory: int
    family: str = ONE_MACHINE

    @property
    def fleet(self) -> bool:
        """An emulator for each cluster."""
        return self.family == FLEET


@dataclass
class ClusterSystem(Placed):
    name: str
    file: Path
    board: Board | None
    outbox: int  # size of each
    patience: int = 1000  # ms until a silent cluster is taken for dead
    clusters: list[Cluster] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    noc: int = 0
    noc_size: int = 0
    end: int = 0  # of the memory in use

    @property
    def fleet(self) -> bool:
        return self.board is not None and self.board.fleet

    @property
    def harts(self) -> int:
        return sum(c.harts for c in self.clusters)

    @property
    def speakers(self) -> list[str]:
        """Who has a console, in its order."""
        return [c.name for c in self.clusters]

    def described(self) -> str:
        """What it has, for people."""
        return f"{len(self.clusters)} clusters, {self.harts} harts"

    @property
    def drivers(self) -> list[Cluster]:
        """Those that drive devices of the board: one, if the system is right."""
        return [c for c in self.clusters if c.devices]

    def devices_of(self, class_: str) -> int:
        """How many devices of a class the board has."""
        return max((driven.most_of((name for name, _ in c.devices), class_) for c in self.drivers), default=0)

    @property
    def n_devices(self) -> int:
        """They are in the machine's first places for virtio devices, in the order of driven.VIRTIO."""
        return sum(map(self.devices_of, driven.VIRTIO))

    def cluster(self, name: str) -> Cluster | None:
        return next((c for c in self.clusters if c.name == name), None)

    def kernel_mark(self) -> Mark:
        return self.where("kernel")
