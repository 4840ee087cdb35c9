# SPDX-License-Identifier: MIT
"""A system in memory: what the YAML said, typed, each thing with its place. Limits and numbers come from core/system_table.h."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Any

from amalgam import paths
from amalgam.build import kconfig
from amalgam.system.boards import Board, kernel_for
from amalgam.system.layout import SYSTEM_TABLE
from amalgam.system.source import Mark, Placed
from amalgam.system.units import show_size

KERNEL = SYSTEM_TABLE.constants

MAX_DOMAINS = KERNEL["SYS_MAX_DOMAINS"]
NAME = KERNEL["SYS_NAME"]  # bytes of a name, with its NUL
MAX_VCPUS = KERNEL["SYS_MAX_VCPUS"]
MAX_CORES = KERNEL["SYS_MAX_CORES"]  # of a process
MAX_DEVICES = KERNEL["SYS_MAX_DEVICES"]
MAX_WINDOWS = 32  # a core (SCHED_WINDOWS)
MAX_GROUPS = 7  # domains with windows of their own on one core (SCHED_GROUPS without the shared one)
MAX_CHANNELS = KERNEL["SYS_MAX_CHANNELS"]
HOST = "host"  # as an end of a channel: the Linux beneath which the kernel was attached
HOST_ID = KERNEL["SYS_HOST"]
MAX_SLOTS = 8  # virtio-mmio slots: interrupt inputs 16 to 23
MAX_CMDLINE = 2047
MAX_MODULES = KERNEL["SYS_MAX_MODULES"]
MAX_PORTS = KERNEL["SYS_MAX_PORTS"]  # of guests' switches, of a process
MAX_DRIVEN = KERNEL["SYS_MAX_DRIVEN"]  # devices of the board, of a process
MAX_THREADS = 64  # of a process
STACK_STEP, STACK_MOST = 16 << 10, 2 << 20  # bytes: of processes and native programs
SHARED = "shared"  # the windows of everything that has none of its own


class Kind(IntEnum):
    VM = KERNEL["SYS_KIND_VM"]
    TASK = KERNEL["SYS_KIND_TASK"]
    PROCESS = KERNEL["SYS_KIND_PROCESS"]
    NATIVE = KERNEL["SYS_KIND_NATIVE"]


class Boot(IntEnum):
    LINUX64 = KERNEL["SYS_BOOT_LINUX64"]
    PVH = KERNEL["SYS_BOOT_PVH"]
    MULTIBOOT1 = KERNEL["SYS_BOOT_MULTIBOOT1"]
    MULTIBOOT2 = KERNEL["SYS_BOOT_MULTIBOOT2"]
    RAW = KERNEL["SYS_BOOT_RAW"]
    LINUX32 = KERNEL["SYS_BOOT_LINUX32"]  # of guests in ring 1, and their only one


class DomainFlag(IntFlag):
    AUTOSTART = KERNEL["SYS_AUTOSTART"]
    RESTART_ON_RESET = KERNEL["SYS_RESTART_ON_RESET"]
    RESTART_ON_FAULT = KERNEL["SYS_RESTART_ON_FAULT"]
    HYPERCALLS = KERNEL["SYS_HYPERCALLS"]
    KVM_PV = KERNEL["SYS_KVM_PV"]
    STATUS = KERNEL["SYS_STATUS"]  # of a process: the same bits
    STATUS_CONTROL = KERNEL["SYS_STATUS_CONTROL"]
    POWER_BOARD = KERNEL["SYS_POWER_BOARD"]
    FOCUS = KERNEL["SYS_FOCUS"]
    STARTED = KERNEL["SYS_STARTED"]


class KvmFeature(IntFlag):
    """What `kvm` may list: bits of KVM's CPUID leaf 0x40000001 EAX (enum sys_kvm)."""

    CLOCK = KERNEL["SYS_KVM_CLOCK"]
    STEAL = KERNEL["SYS_KVM_STEAL"]
    EOI = KERNEL["SYS_KVM_EOI"]
    FLUSH = KERNEL["SYS_KVM_FLUSH"]
    IPI = KERNEL["SYS_KVM_IPI"]
    YIELD = KERNEL["SYS_KVM_YIELD"]


KVM_FEATURES = {
    "clock": KvmFeature.CLOCK,
    "eoi": KvmFeature.EOI,
    "ipi": KvmFeature.IPI,
    "flush": KvmFeature.FLUSH,
    "steal": KvmFeature.STEAL,
    "yield": KvmFeature.YIELD,
}
KVM_ALL = KvmFeature(KERNEL["SYS_KVM_ALL"])


class DeviceType(IntEnum):
    UART = KERNEL["SYS_DEV_UART"]
    CONSOLE = KERNEL["SYS_DEV_CONSOLE"]
    BLOCK = KERNEL["SYS_DEV_BLOCK"]
    NET = KERNEL["SYS_DEV_NET"]
    RNG = KERNEL["SYS_DEV_RNG"]
    PC = KERNEL["SYS_DEV_PC"]


VIRTIO = (DeviceType.CONSOLE, DeviceType.BLOCK, DeviceType.NET, DeviceType.RNG)


@dataclass
class FileRef:
    """A file as the YAML names it: a path, debian:NAME or build:NAME."""

    text: str
    mark: Mark
    path: Path | None = None  # once resolved


@dataclass
class Device(Placed):
    type: DeviceType
    slot: int | None  # virtio-mmio slot or COM port - 1; None: the first free one
    readonly: bool = False
    net: int = 0
    mac: bytes = bytes(6)  # zero: made from domain and position
    image: FileRef | None = None
    backend: str = ""  # block: its other half in the host Linux, instead of an image
    size: int = 0  # of that, in bytes

    def irq(self) -> int | None:
        """The input of the guest's IOAPIC that it raises."""
        if self.type in VIRTIO and self.slot is not None:
            return 16 + self.slot
        if self.type == DeviceType.UART and self.slot is not None:
            return (4, 3)[self.slot % 2]
        return None


@dataclass
class Module(Placed):
    file: FileRef
    cmdline: str


@dataclass
class Slots(Placed):
    """For programs that a process starts: how many, and what each of them has."""

    number: int
    memory: int
    threads: int
    stack: int
    cores: list[tuple[int, Mark]]  # that the slots share out, as many as it has threads to each; none: the owner's


@dataclass
class Domain(Placed):
    name: str
    kind: Kind
    boot: Boot
    vcpus: int
    cores: list[tuple[int, Mark]]
    memory: int
    kernel: FileRef | None
    initrd: FileRef | None
    modules: list[Module]
    cmdline: str
    entry: int
    acpi: bool
    priority: int
    watchdog_ms: int
    flags: DomainFlag
    kvm: KvmFeature  # without DomainFlag.KVM_PV: none
    task: str
    devices: list[Device]
    arguments: list[str] = field(default_factory=list)  # a process; its `kernel` is the program, its `vcpus` the cores that it lists
    environment: list[str] = field(default_factory=list)  # NAME=VALUE
    threads: int = 0
    files: FileRef | None = None  # a process's: a folder, or an archive
    archive: Path | bytes | None = None  # of them, once resolved
    ues: list[int] = field(default_factory=list)  # on an SCC: the cores that run it
    shared: int = 0  # bytes of the memory that they share; and from where on of the processes' or the native programs', once all are known
    shared_at: int = 0
    svm: int = 0  # bytes of shared virtual memory, of a process
    strong: int = 0  # bytes of memory that the vCPUs of a guest on several cores share
    joins: str = ""  # a guest of an SCC: the process in whose place it runs on its cores
    driven: list[tuple[str, Mark]] = field(default_factory=list)  # names of devices of the board, of a process
    ports: list[tuple[str, Mark]] = field(default_factory=list)  # of guests' switches, of a process: "N", or "uplink-N"
    stack: int = 0  # bytes of the first stack; of each core's, of a native program
    slots: Slots | None = None  # of a process
    spawner: str = ""  # of a slot: its owner's name

    def strings(self) -> bytes:
        """A process's arguments and environment, as the kernel gets them."""
        return b"".join(text.encode() + b"\0" for text in [*self.arguments, *self.environment])


@dataclass
class Window(Placed):
    domain: str
    start_us: int
    length_us: int


@dataclass
class Frame(Placed):
    core: int
    length_us: int
    windows: list[Window]


@dataclass
class Channel(Placed):
    name: str
    between: list[tuple[str, Mark]]
    write: list[tuple[str, Mark]]
    size: int


class Domains:
    """What a system has as a list of domains, on cores that share a memory: of any kind of domain."""

    domains: list[Any]
    cores: int
    memory: int

    def domain(self, name: str) -> Any:
        """The one of that name, or None."""
        return next((d for d in self.domains if d.name == name), None)

    @property
    def speakers(self) -> list[str]:
        """Who has a console, in its order."""
        return [d.name for d in self.domains]

    def described(self) -> str:
        """What it has, for people."""
        used, memory = show_size(sum(d.memory for d in self.domains)), show_size(self.memory)
        return f"{len(self.domains)} domains, {self.cores} cores, {used} of {memory} for domains"


@dataclass
class System(Domains, Placed):
    name: str
    file: Path
    board: Board | None
    cores: int
    memory: int
    domains: list[Domain] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    kernel: str = ""  # of a cluster: the shape that it names

    def shape(self) -> str:
        """The shape of the kernel that it needs: with processes or native tasks another one than its board's."""
        if self.kernel:
            return self.kernel
        shape = self.board.shape if self.board else "pc"
        drives = any(d.kind == Kind.PROCESS and {"devices", "ports"} & d.at.keys() or d.joins for d in self.domains)
        board = self.board
        others = ("", "") if not board else (board.devices, "") if drives else (board.processes, board.tasks)
        return kernel_for(shape, *others, any(d.kind == Kind.PROCESS for d in self.domains), (d.task for d in self.domains))

    def kernel_has(self, option: str) -> bool:
        """Whether its kernel has an option. A cluster's kernel that is no shape's counts as having none."""
        return self.shape() in paths.SHAPES and kconfig.has(self.shape(), option)
