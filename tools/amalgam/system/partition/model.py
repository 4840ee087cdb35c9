# SPDX-License-Identifier: MIT
"""A partitioned system in memory. Limits and numbers come from kernel/include/partition/table.h."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from pathlib import Path

from amalgam.system.layout import PARTITION_TABLE
from amalgam.system.model import Domains, FileRef, Frame
from amalgam.system.source import Mark, Placed

KERNEL = PARTITION_TABLE.constants
TABLE_ADDRESS = KERNEL["PT_ADDRESS"]
IMAGE_END = 0x00FFFE80  # the emulator's board information begins here
VM_MEMORY = KERNEL["PT_VM_MEMORY"]
MAX_CORES = KERNEL["PT_CORES"]
MAX_DOMAINS = KERNEL["PT_VMS"]
MAX_CHANNELS = KERNEL["PT_TUNNELS"]
MAX_OPEN = 8  # of one domain: its memory, a device and these are its areas (VM_AREAS)
TUNNEL_ADDRESS, TUNNEL_STEP = KERNEL["PT_TUNNEL_GPA"], KERNEL["PT_TUNNEL_STEP"]
BELL_ADDRESS, BELL_STEP = KERNEL["PT_BELL_GPA"], KERNEL["PT_BELL_STEP"]
TUNNEL_INPUT = KERNEL["PT_TUNNEL_INPUT"]
MAX_PLANS = KERNEL["PT_PLANS"]
MAX_WINDOWS = 32  # a frame
WINDOW_MOST = KERNEL["PT_WINDOW_MAX"]  # ticks
NAME_LENGTH = KERNEL["PT_NAME"] - 1  # without the closing zero
ANY = "any"  # the windows of whoever is ready and has none of its own
ANY_NUMBER = KERNEL["PT_ANY"]
FOREVER = 255  # restarts without limit
PRIORITY_MOST = 31  # the most urgent, as in every system file
PRIORITIES_A_LEVEL = 4  # the kernel has 8 levels, 0 the most urgent
FAMILY = "ppc405"  # of boards (system/families.py)
PAGE_SIZES = tuple(1024 << 2 * s for s in range(8))  # of the 405's TLB


def window_least(cores: int) -> int:
    """The shortest window of a board with so many cores, in ticks. The kernel with doorbells wants more, and says so when it starts."""
    return KERNEL["PT_WINDOW_MIN" if cores <= KERNEL["PT_CORES_FEW"] else "PT_WINDOW_MIN_8"]


class VmFlag(IntFlag):
    AUTOSTART = KERNEL["PT_AUTOSTART"]
    HYPERCALLS = KERNEL["PT_HYPERCALLS"]
    IRFM = KERNEL["PT_IRFM"]
    TLB = KERNEL["PT_TLB"]
    POWER_BOARD = KERNEL["PT_POWER_BOARD"]
    FOCUS = KERNEL["PT_FOCUS"]
    HEALTH_MONITOR = KERNEL["PT_HEALTH_MONITOR"]
    BACKGROUND = KERNEL["PT_BACKGROUND"]


class TunnelRight(IntFlag):
    WRITES = KERNEL["PT_TUNNEL_WRITES"]
    OPEN = KERNEL["PT_TUNNEL_OPEN"]


class Action(IntEnum):
    STOP = KERNEL["PT_STOP"]
    RESTART = KERNEL["PT_RESTART"]
    IGNORE = KERNEL["PT_IGNORE"]
    PLAN = KERNEL["PT_PLAN"]


EVENTS = ("fault", "reset", "overrun")  # enum pt_event, in order


@dataclass
class Health:
    """What follows an event: an action, and for PLAN the plan's name."""

    action: Action
    plan: str = ""
    mark: Mark | None = None


@dataclass
class Owned(Placed):
    """A real device given to one domain: a page of registers, DCRs, interrupt inputs."""

    page: int = 0
    dcr_first: int = 0
    dcr_count: int = 0
    interrupts: list[tuple[int, Mark]] = field(default_factory=list)


@dataclass
class Segment:
    """Bytes copied into the guest at each start."""

    gpa: int
    data: bytes


@dataclass
class Partition(Placed):
    name: str
    kernel: FileRef | None
    load: int  # of a raw image
    entry: int | None  # None: as the image says
    initrd: FileRef | None
    dtb: FileRef | None  # a file of the user's
    device_tree: bool  # hand over a device tree: of `dtb`, or the board's own
    cmdline: str
    memory: int
    cores: list[tuple[int, Mark]]
    priority: int
    registers: dict[str, int]
    flags: VmFlag
    previrt: bool
    health: dict[str, Health]
    restarts: int
    device: Owned | None
    # filled in by files.py and place.py
    segments: list[Segment] = field(default_factory=list)
    patches: list[tuple[int, int]] = field(default_factory=list)
    start: int = 0
    gpr: list[int] = field(default_factory=lambda: [0] * 5)
    base: int = 0

    @property
    def level(self) -> int:
        """The kernel's number for its priority: four priorities are a level."""
        return (PRIORITY_MOST - self.priority) // PRIORITIES_A_LEVEL


@dataclass
class Plan(Placed):
    name: str
    frames: list[Frame]


@dataclass
class Channel(Placed):
    name: str
    type: str
    between: list[tuple[str, Mark]]
    write: list[tuple[str, Mark]]
    size: int
    message: int  # longest message of a port
    depth: int  # messages that a queuing port holds
    base: int = 0


@dataclass
class Board(Placed):
    name: str
    machine: str
    cores: int
    max_cores: int
    memory: int
    memories: list[int]
    timebase: int
    family: str = FAMILY


@dataclass
class PartitionSystem(Domains, Placed):
    name: str
    file: Path
    board: Board | None
    cores: int
    memory: int
    domains: list[Partition] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)

    def number(self, name: str) -> int:
        """A domain's number in the table; `any` has its own."""
        return ANY_NUMBER if name == ANY else [d.name for d in self.domains].index(name)


def rights_of(channel: Channel, domain: Partition) -> TunnelRight:
    """What one end may. The destination of a queuing port says in its memory how far it is; a device tree's reader makes no
    hypercall, so what the tree describes is open from the start."""
    writes = channel.type == "queuing" or domain.name in [name for name, _ in channel.write]
    return (TunnelRight.WRITES if writes else TunnelRight(0)) | (TunnelRight.OPEN if domain.device_tree else TunnelRight(0))


def page_fitting(size: int) -> int:
    """The largest page of the 405's TLB that is no larger than `size`: what memory of that size is aligned to."""
    return max((page for page in PAGE_SIZES if page <= size), default=PAGE_SIZES[0])
