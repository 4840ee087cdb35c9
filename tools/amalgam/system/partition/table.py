# SPDX-License-Identifier: MIT
"""The binary form of a partitioned system: kernel/include/partition/table.h in the target's byte order, then the images."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from amalgam.errors import explained
from amalgam.system.frames import with_shared
from amalgam.system.layout import PARTITION_TABLE
from amalgam.system.model import Frame, Window
from amalgam.system.partition import model
from amalgam.system.partition.model import Action, Channel, Partition, PartitionSystem, Plan

MAGIC, VERSION = (PARTITION_TABLE.constants[name] for name in ("PT_MAGIC", "PT_VERSION"))
TAGGED = 1  # pt_header.flags
HEADER = PARTITION_TABLE.struct("pt_header")
VM = PARTITION_TABLE.struct("pt_vm")
SEGMENT = PARTITION_TABLE.struct("pt_segment")
PATCH = PARTITION_TABLE.struct("pt_patch")
WINDOW = PARTITION_TABLE.struct("pt_window")
FRAME = PARTITION_TABLE.struct("pt_frame")
TUNNEL = PARTITION_TABLE.struct("pt_tunnel")
CRC_AT, FLAGS_AT = (PARTITION_TABLE.offset("pt_header", member) for member in ("crc32", "flags"))
POOL_FRAME_US = 10000  # the frame of a core that the system says nothing about


class Images:
    """What follows the table; the same bytes are stored once."""

    def __init__(self, at: int):
        self.at = at
        self.contents: dict[bytes, int] = {}

    def add(self, data: bytes) -> int:
        """The offset from the table's start."""
        if data not in self.contents:
            self.contents[data] = self.at
            self.at += -(-len(data) // 16) * 16
        return self.contents[data]


def frame_of(system: PartitionSystem, plan: Plan, core: int) -> list[tuple[str, int]]:
    """A core's windows (domain, microseconds). A core without a frame belongs to the pool."""
    found = next((f for f in plan.frames if f.core == core), None)
    frame = found or Frame(plan.mark, {}, core, POOL_FRAME_US, list[Window]())
    return [(name, length) for name, _start, length in with_shared(frame, model.ANY)]


def pack_vm(system: PartitionSystem, d: Partition, first_segment: int, patches: int) -> bytes:
    plans = [plan.name for plan in system.plans]
    chosen = next((h.plan for h in d.health.values() if h.action == Action.PLAN), plans[0])
    device = d.device or model.Owned(d.mark, {})
    return VM.pack(
        d.name.encode(),
        d.base,
        d.memory,
        d.start,
        *d.gpr,
        d.flags,
        sum(1 << core for core, _ in d.cores),
        d.level,
        plans.index(chosen),
        *(d.health[event].action for event in model.EVENTS),
        d.restarts,
        first_segment,
        len(d.segments),
        patches,
        len(d.patches),
        device.page,
        device.dcr_first,
        device.dcr_count,
        sum(0x80000000 >> number for number, _ in device.interrupts),  # the UIC counts from the most significant bit
    )


def pack_tunnel(system: PartitionSystem, channel: Channel) -> bytes:
    domains = [system.domains[system.number(name)] for name, _ in channel.between]
    rights = (model.rights_of(channel, domain) for domain in domains)
    numbers = [system.number(domain.name) for domain in domains]
    return TUNNEL.pack(channel.name.encode(), channel.base, channel.size, *numbers, *rights)


def pack_time(system: PartitionSystem) -> tuple[bytes, bytes, int]:
    """Frames by plan and core, all their windows, and how many windows."""
    assert system.board
    frames, windows, count = b"", b"", 0
    for plan in system.plans:
        for core in range(system.cores):
            filled = frame_of(system, plan, core)
            frames += FRAME.pack(count, len(filled))
            windows += b"".join(WINDOW.pack(system.number(name), us * system.board.timebase // 1000000) for name, us in filled)
            count += len(filled)
    return frames, windows, count


def in_words(gpa: int, data: bytes) -> tuple[int, bytes]:
    """The kernel copies whole words: fill up to them with the zeros that are there anyway."""
    before = gpa % 4
    data = bytes(before) + data
    return gpa - before, data + bytes(-len(data) % 4)


def pack(system: PartitionSystem) -> bytes:
    """Table and images; the console is tagged (with_console says otherwise)."""
    assert system.board
    frames, windows, n_windows = pack_time(system)
    tunnels = b"".join(pack_tunnel(system, c) for c in system.channels)
    n_segments = sum(len(d.segments) for d in system.domains)
    n_patches = sum(len(d.patches) for d in system.domains)
    sizes = [VM.size * len(system.domains), len(frames), len(windows), SEGMENT.size * n_segments, len(tunnels), PATCH.size * n_patches]
    offsets, at = [], HEADER.size
    for size in sizes:
        at = -(-at // 4) * 4
        offsets.append(at)
        at += size
    images = Images(-(-at // 16) * 16)
    vms = segments = patches = b""
    for domain in system.domains:
        vms += pack_vm(system, domain, len(segments) // SEGMENT.size, offsets[5] + len(patches) if domain.patches else 0)
        for gpa, data in (in_words(s.gpa, s.data) for s in domain.segments):
            segments += SEGMENT.pack(images.add(data), gpa, len(data))
        patches += b"".join(PATCH.pack(*patch) for patch in domain.patches)
    table = bytearray(at)
    for offset, array in zip(offsets, [vms, frames, windows, segments, tunnels, patches], strict=True):
        table[offset : offset + len(array)] = array
    HEADER.pack_into(
        table,
        0,
        MAGIC,
        VERSION,
        HEADER.size,
        len(table),
        images.at,
        0,
        len(system.domains),
        system.cores,
        len(system.plans),
        len(system.channels),
        n_windows,
        n_segments,
        *offsets[:5],
        (system.board.timebase << 16) // 1000000,
        TAGGED,
        system.name.encode(),
    )
    whole = bytearray(images.at)
    whole[: len(table)] = table
    for data, offset in images.contents.items():
        whole[offset : offset + len(data)] = data
    return sealed(whole)


def sealed(image: bytearray) -> bytes:
    """The image with the right checksum of its table."""
    size = struct.unpack_from(">I", image, 8)[0]
    struct.pack_into(">I", image, CRC_AT, 0)
    struct.pack_into(">I", image, CRC_AT, zlib.crc32(image[:size]))
    return bytes(image)


def with_console(image: bytes, tagged: bool) -> bytes:
    """The same system with a console for programs (every byte says whose it is) or for people (only the focus is heard)."""
    (flags,) = struct.unpack_from(">I", image, FLAGS_AT)
    if bool(flags & TAGGED) == tagged:
        return image  # also a damaged one, as it is
    changed = bytearray(image)
    struct.pack_into(">I", changed, FLAGS_AT, flags ^ TAGGED)
    return sealed(changed)


def write_image(system: PartitionSystem, target: Path) -> None:
    """Write beside `target` and rename, so that a reader never sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    try:
        part.write_bytes(pack(system))
    except OSError as error:
        part.unlink(missing_ok=True)
        raise explained(error, target) from error
    part.replace(target)
