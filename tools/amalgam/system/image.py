# SPDX-License-Identifier: MIT
"""The binary form of a system: the table of kernel/include/core/system_table.h, then the payloads, each page aligned."""

from __future__ import annotations

import shutil
import struct
import zlib
from pathlib import Path

from amalgam.errors import explained
from amalgam.system import model
from amalgam.system.frames import with_shared
from amalgam.system.layout import SYSTEM_TABLE
from amalgam.system.model import STACK_STEP, Boot, Device, DeviceType, Domain, Kind, System
from amalgam.system.modules import PAGE, Pack, pack_of, page_up
from amalgam.system.ports import port_bits
from amalgam.system.program import loaded_part
from amalgam.system.ring1 import command_line

MAGIC, VERSION, NONE = (SYSTEM_TABLE.constants[f"SYS_{name}"] for name in ("MAGIC", "VERSION", "NONE"))
HEADER = SYSTEM_TABLE.struct("sys_header")
DOMAIN = SYSTEM_TABLE.struct("sys_domain")
VM = SYSTEM_TABLE.struct("sys_vm")
TASK = SYSTEM_TABLE.struct("sys_task")
PROCESS = SYSTEM_TABLE.struct("sys_process")
DEVICE = SYSTEM_TABLE.struct("sys_device")
WINDOW = SYSTEM_TABLE.struct("sys_window")
FRAME = SYSTEM_TABLE.struct("sys_frame")
CHANNEL = SYSTEM_TABLE.struct("sys_channel")
PAYLOAD = SYSTEM_TABLE.struct("sys_payload")
CRC_AT = SYSTEM_TABLE.offset("sys_header", "crc32")
BACKEND = SYSTEM_TABLE.constants["SYS_DEV_BACKEND"]
SECTOR = 512  # bytes
Content = Path | bytes | Pack


class Payloads:
    """What follows the table; the same file is stored once, except where somebody writes."""

    def __init__(self) -> None:
        self.contents: list[Content] = []
        self.shared: dict[Content, int] = {}

    def add(self, content: Content | None, own: bool = False) -> int:
        """The payload's number; `own`: nobody else gets this copy, a device writes to it."""
        if content is None:
            return NONE
        if own or content not in self.shared:
            self.contents.append(content)
            if own:
                return len(self.contents) - 1
            self.shared[content] = len(self.contents) - 1
        return self.shared[content]

    def sizes(self) -> list[int]:
        return [size_of(content) for content in self.contents]


def size_of(content: Content) -> int:
    if isinstance(content, bytes):
        return len(content)
    return content.size() if isinstance(content, Pack) else content.stat().st_size


class Strings:
    """The string area; offset 0 holds the empty string."""

    def __init__(self) -> None:
        self.data = bytearray(b"\0")

    def add(self, text: str) -> int:
        if not text:
            return NONE
        offset = len(self.data)
        self.data += text.encode("ascii") + b"\0"
        return offset


def acpi_tables(system: System, domain: Domain) -> bytes | None:
    """The guest's ACPI tables, ready to be copied to 0xf0000."""
    if domain.kind != Kind.VM or not domain.acpi:
        return None
    from amalgam.system import acpi

    tunnels = [i for i, channel in enumerate(system.channels) if domain.name in [name for name, _ in channel.between]]
    return acpi.build_tables(domain.vcpus, domain.devices, domain.memory, tunnels)


def pack_content(d: Device, payloads: Payloads) -> bytes:
    """What only the device's type knows, which DEVICE fills up with zeros."""
    if d.backend:
        return struct.pack("<Q", d.size // SECTOR)
    if d.image:
        return struct.pack("<H", payloads.add(d.image.path, own=not d.readonly))
    return d.mac if d.type == DeviceType.NET else b""


def pack_devices(domain: Domain, payloads: Payloads, strings: Strings) -> bytes:
    devices = b""
    for d in domain.devices:
        devices += DEVICE.pack(
            d.type,
            d.slot or 0,
            int(d.readonly) | (BACKEND if d.backend else 0),
            d.net,
            strings.add(d.backend) if d.backend else 0,
            pack_content(d, payloads),
        )
    return devices


def pack_vm(system: System, domain: Domain, payloads: Payloads, strings: Strings) -> bytes:
    """A VM's part of its record."""
    devices = pack_devices(domain, payloads, strings)
    modules = pack_of(domain)
    return VM.pack(
        domain.entry if domain.boot == Boot.RAW else sum(1 << core for core in domain.ues),
        payloads.add(domain.kernel.path if domain.kernel else None),
        payloads.add(modules or (domain.initrd.path if domain.initrd else None)),
        payloads.add(acpi_tables(system, domain)),
        domain.strong // PAGE,
        domain.boot,
        len(domain.devices),
        len(modules.modules) if modules else 0,
        1 + [other.name for other in system.domains].index(domain.joins) if domain.joins else 0,
        domain.kvm,
        devices,
    )


def pack_process(system: System, domain: Domain, payloads: Payloads, strings: Strings) -> bytes:
    """A process's part of its record."""
    program: Content | None = domain.kernel.path if domain.kernel else None
    if isinstance(program, Path) and domain.kind == Kind.PROCESS:
        program = loaded_part(program)
    return PROCESS.pack(
        payloads.add(program),
        payloads.add(domain.strings() or None),
        len(domain.arguments),
        len(domain.environment),
        domain.threads,
        domain.stack // STACK_STEP,
        payloads.add(domain.archive),
        *(sum(1 << core % 32 for core in domain.ues if core // 32 == word) for word in (0, 1)),
        domain.shared_at // PAGE,
        domain.shared // PAGE,
        next((1 + i for i, d in enumerate(system.domains) if d.name == domain.spawner), 0),
        domain.svm // PAGE,
        *(strings.add(name) for name, _ in domain.driven),
        *[0] * (model.MAX_DRIVEN - len(domain.driven)),
        *(port_bits(name) for name, _ in domain.ports),
        *[0] * (model.MAX_PORTS - len(domain.ports)),
    )


def pack_part(system: System, domain: Domain, task: int, payloads: Payloads, strings: Strings) -> bytes:
    """What only the domain's kind knows."""
    if domain.kind == Kind.VM:
        return pack_vm(system, domain, payloads, strings)
    return pack_process(system, domain, payloads, strings) if domain.kind in (Kind.PROCESS, Kind.NATIVE) else TASK.pack(task)


def pack_domain(system: System, domain: Domain, task: int, payloads: Payloads, strings: Strings) -> bytes:
    cores = [core for core, _ in domain.cores]
    cmdline = strings.add(command_line(domain))
    return DOMAIN.pack(
        domain.name.encode(),
        domain.kind,
        domain.vcpus,
        domain.priority,
        domain.flags,
        domain.memory,
        cmdline,
        domain.watchdog_ms,
        *cores,
        *[0] * (model.MAX_CORES - len(cores)),
        pack_part(system, domain, task, payloads, strings),
    )


def pack_frames(system: System) -> tuple[list[bytes], list[bytes]]:
    """Frames in the order of their cores, and all their windows."""
    numbers = {d.name: i for i, d in enumerate(system.domains)} | {model.SHARED: NONE}
    frames, windows = [], []
    for frame in sorted(system.frames, key=lambda f: f.core):
        filled = with_shared(frame)
        frames.append(FRAME.pack(frame.core, len(filled), len(windows), frame.length_us))
        windows += [WINDOW.pack(frame.core, numbers[name], start, length) for name, start, length in filled]
    return frames, windows


def pack_channel(system: System, channel: model.Channel) -> bytes:
    numbers = {model.HOST: model.HOST_ID} | {d.name: i for i, d in enumerate(system.domains)}
    ends = sorted((name for name, _ in channel.between), key=lambda name: numbers[name] == model.HOST_ID)  # the host comes second
    writers = {name for name, _ in channel.write}
    flags = sum(1 << i for i, name in enumerate(ends) if name in writers)
    return CHANNEL.pack(channel.name.encode(), numbers[ends[0]], numbers[ends[1]], flags, channel.size)


def pack_table(system: System, tasks: dict[str, int]) -> tuple[bytes, Payloads, list[int]]:
    """The table with its CRC, the payloads and the offset of each."""
    payloads, strings = Payloads(), Strings()
    domains = [pack_domain(system, d, tasks.get(d.task, 0), payloads, strings) for d in system.domains]
    frames, windows = pack_frames(system)
    channels = [pack_channel(system, c) for c in system.channels]
    arrays = [b"".join(domains), b"".join(frames), b"".join(windows), b"".join(channels), bytes(PAYLOAD.size * len(payloads.contents))]
    offsets, at = [], HEADER.size
    for array in arrays:
        at = -(-at // 8) * 8
        offsets.append(at)
        at += len(array)
    offsets.append(at)  # strings
    table_size = at + len(strings.data)
    places, image_size = [], page_up(table_size)
    for size in payloads.sizes():
        places.append(image_size)
        image_size += page_up(size)
    arrays[4] = b"".join(PAYLOAD.pack(place, size) for place, size in zip(places, payloads.sizes(), strict=True))
    header = HEADER.pack(
        MAGIC,
        VERSION,
        HEADER.size,
        image_size,
        table_size,
        0,
        system.name.encode(),
        len(domains),
        len(frames),
        len(windows),
        len(channels),
        len(payloads.contents),
        system.cores,
        *offsets,
        len(strings.data),
    )
    table = bytearray(table_size)
    table[: HEADER.size] = header
    for offset, array in zip(offsets, [*arrays, bytes(strings.data)], strict=True):
        table[offset : offset + len(array)] = array
    struct.pack_into("<I", table, CRC_AT, zlib.crc32(table))
    return bytes(table), payloads, places


def image_size(system: System) -> int:
    """Bytes that the images of a resolved system take in the board's memory."""
    disks = [device for d in system.domains for device in d.devices]
    packs = {d.name: pack_of(d) for d in system.domains}
    shared: set[Content | None] = {d.kernel.path for d in system.domains if d.kernel}
    shared |= {packs[d.name] or (d.initrd.path if d.initrd else None) for d in system.domains}
    shared |= {d.image.path for d in disks if d.image and d.readonly}
    shared |= {d.archive for d in system.domains}
    contents = [*shared, *(d.image.path for d in disks if d.image and not d.readonly)]
    return sum(page_up(size_of(content)) for content in contents if content) + 16 * PAGE


def write_image(system: System, tasks: dict[str, int], target: Path) -> None:
    """Write the image beside `target` and rename it, so that a reader never sees half of one."""
    table, payloads, places = pack_table(system, tasks)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    try:
        with part.open("wb") as out:
            out.write(table)
            for content, place in zip(payloads.contents, places, strict=True):
                out.seek(place)
                if isinstance(content, bytes):
                    out.write(content)
                elif isinstance(content, Pack):
                    content.write(out)
                else:
                    with content.open("rb") as file:
                        shutil.copyfileobj(file, out, 1 << 20)
            out.truncate(page_up(max(out.tell(), PAGE)))
    except OSError as error:
        part.unlink(missing_ok=True)
        raise explained(error, target) from error
    part.replace(target)
