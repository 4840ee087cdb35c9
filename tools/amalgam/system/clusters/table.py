# SPDX-License-Identifier: MIT
"""The board's file: the firmware, its table (firmware/manycore/table.h), the images and the device trees. In a fleet each cluster's board has its own."""

from __future__ import annotations

import struct
from functools import cache
from itertools import groupby
from pathlib import Path

from amalgam.board.seeds import SEED_SIZE
from amalgam.errors import UserError, explained
from amalgam.system.clusters import fdt, model
from amalgam.system.clusters.devicetree import RNG_SEED
from amalgam.system.clusters.model import COPY_UNIT, Cluster, ClusterSystem, Image
from amalgam.system.layout import CLUSTER_TABLE

MAGIC, VERSION = (CLUSTER_TABLE.constants[name] for name in ("FW_MAGIC", "FW_VERSION"))
TABLE = CLUSTER_TABLE.struct("fw_table")
CLUSTER = CLUSTER_TABLE.struct("fw_cluster")
COPY = CLUSTER_TABLE.struct("fw_copy")
DEVICE = CLUSTER_TABLE.struct("fw_device")
RINGS = CLUSTER_TABLE.constants["FW_RINGS"]
KILL = struct.Struct("<Q")
LIVES = struct.Struct("<I")
TREE_ROOM = 64 * 1024  # for each cluster's device tree, before it is known


def units(data: bytes) -> bytes:
    return data + bytes(-len(data) % COPY_UNIT)


@cache
def pieces(data: bytes) -> list[tuple[int, int, int]]:
    """What is to be copied of `data`: where each piece begins, its size, and how many zeros are behind it, in whole units."""
    there = [any(data[at : at + COPY_UNIT]) for at in range(0, len(data), COPY_UNIT)]
    found: list[tuple[int, int, int]] = []
    at = 0
    for copied, run in groupby(there):
        size = len(list(run)) * COPY_UNIT
        if copied or not found:
            found.append((at, size, 0) if copied else (at, 0, size))
        else:
            found[-1] = (*found[-1][:2], size)
        at += size
    return found


def images(clusters: list[Cluster]) -> list[Image]:
    """Each one once."""
    found: list[Image] = []
    for cluster in clusters:
        if cluster.image and not any(cluster.image is image for image in found):
            found.append(cluster.image)
    return found


def modules(clusters: list[Cluster]) -> list[bytes]:
    """Each one once."""
    return list({id(c.module_data): c.module_data for c in clusters if c.module_data}.values())


def end(system: ClusterSystem) -> int:
    """The first address behind all that the file holds, at most."""
    clusters = system.clusters
    fixed = TABLE.size + len(clusters) * (CLUSTER.size + COPY.size + TREE_ROOM) + 2 * system.harts
    fixed += sum(COPY.size * len(pieces(data)) + COPY_UNIT for c in clusters for data in (c.image and c.image.data, c.module_data) if data)
    fixed += system.n_devices * (RINGS + DEVICE.size) + 2 * COPY_UNIT if system.n_devices else 0
    fixed += sum(KILL.size * len(c.kills) for c in clusters) + 8 * COPY_UNIT
    return model.TABLE + fixed + sum(len(units(image.data)) for image in images(clusters)) + sum(map(len, map(units, modules(clusters))))


class Writer:
    """Grows from FW_TABLE on; everything begins at a COPY_UNIT."""

    def __init__(self) -> None:
        self.data = bytearray()

    def add(self, data: bytes) -> int:
        """Returns the address."""
        at = model.TABLE + len(self.data)
        self.data += units(data)
        return at


def pack(system: ClusterSystem, only: Cluster | None = None) -> bytes:
    """Everything from FW_TABLE on, of a placed system; with `only`, for the board of this cluster of a fleet."""
    there = [only] if only else system.clusters
    out = Writer()
    out.add(bytes(TABLE.size))
    clusters_at = out.add(bytes(CLUSTER.size * len(system.clusters)))
    clusters_of = {hart: c.number for c in there for hart in c.own_harts}
    harts_at = out.add(b"".join(struct.pack("<H", clusters_of[hart]) for hart in range(len(clusters_of))))
    placed = {id(image): out.add(image.data) for image in images(there)}
    placed |= {id(module): out.add(module) for module in modules(there)}
    for cluster in there:
        at = clusters_at - model.TABLE + cluster.number * CLUSTER.size
        out.data[at : at + CLUSTER.size] = pack_cluster(cluster, system.outbox, placed, out)
    devices = (pack_devices(system, out), system.n_devices) if system.n_devices else (0, 0)
    device = (model.DEVICE, model.REGISTERS) if system.fleet else (0, 0)
    counts = (len(clusters_of), len(system.clusters))
    TABLE.pack_into(out.data, 0, MAGIC, VERSION, *counts, system.noc, system.noc_size, clusters_at, harts_at, *device, *devices)
    assert model.TABLE + len(out.data) <= min(c.base for c in there)
    return bytes(out.data)


def pack_devices(system: ClusterSystem, out: Writer) -> int:
    """The board's devices, all of them one cluster's. Returns the address."""
    owner, rings = system.drivers[0].number, out.add(bytes(RINGS * system.n_devices))
    rows = [
        DEVICE.pack(model.VIRTIO + i * model.VIRTIO_STEP, model.VIRTIO_IRQ + i, owner, rings + i * RINGS) for i in range(system.n_devices)
    ]
    return out.add(b"".join(rows))


def with_lives(file: bytes, number: int, lives: int) -> bytes:
    """A board's file whose cluster was started `lives` times before: on boards that this one replaces."""
    table, changed = model.TABLE - model.RAM, bytearray(file)
    clusters_at = TABLE.unpack_from(file, table)[6] - model.RAM
    LIVES.pack_into(changed, clusters_at + number * CLUSTER.size + CLUSTER_TABLE.offset("fw_cluster", "lives"), lives)
    return bytes(changed)


def seed_at(file: bytes, number: int) -> int:
    """Where in a board's file the random bytes of a cluster's device tree are, which has zeros for them."""
    at = TABLE.unpack_from(file, model.TABLE - model.RAM)[6] - model.RAM + number * CLUSTER.size
    tree, copies, n = (
        struct.unpack_from("<I", file, at + CLUSTER_TABLE.offset("fw_cluster", name))[0] for name in ("tree", "copies", "n_copies")
    )
    lies = next(lies for lies, to, _size, _zeros in COPY.iter_unpack(file[copies - model.RAM :][: n * COPY.size]) if to == tree) - model.RAM
    return lies + fdt.value_at(file[lies : lies + TREE_ROOM], RNG_SEED, SEED_SIZE)


def with_seeds(file: bytes, seeds: dict[int, bytes]) -> bytes:
    """A board's file whose clusters, by number, are given these random bytes at each of their starts."""
    changed = bytearray(file)
    for number, bytes_of_it in seeds.items():
        at = seed_at(file, number)
        changed[at : at + len(bytes_of_it)] = bytes_of_it
    return bytes(changed)


def copies_of(data: bytes, lies: int, to: int) -> bytes:
    return b"".join(COPY.pack(lies + at, to + at, size, zeros) for at, size, zeros in pieces(data))


def pack_cluster(c: Cluster, outbox: int, placed: dict[int, int], out: Writer) -> bytes:
    assert c.image
    copies = copies_of(c.image.data, placed[id(c.image)], c.base)
    copies += COPY.pack(out.add(c.tree), c.tree_at, len(units(c.tree)), 0)
    copies += copies_of(c.module_data, placed[id(c.module_data)], c.module_at) if c.module_data else b""
    kills = b"".join(KILL.pack(ticks) for ticks in c.kills)
    return CLUSTER.pack(
        c.master,
        c.harts,
        c.first_slave,
        c.kind,
        c.base,
        c.memory,
        c.outbox,
        outbox,
        c.base + c.image.entry,
        c.tree_at,
        out.add(copies),
        len(copies) // COPY.size,
        out.add(kills),
        len(c.kills),
        0,
    )


def write_image(system: ClusterSystem, firmware: bytes, path: Path, only: Cluster | None = None) -> None:
    """The whole file, which is loaded at RAM; with `only`, on the board of this cluster of a fleet. A reader never sees half of it."""
    if len(firmware) > model.TABLE - model.RAM:
        raise UserError("the firmware reaches its table", "firmware/manycore/table.h says where it is")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    try:
        with part.open("wb") as file:
            file.write(firmware)
            file.seek(model.TABLE - model.RAM)
            file.write(pack(system, only))
    except OSError as error:
        part.unlink(missing_ok=True)
        raise explained(error, path) from error
    part.replace(path)
