# SPDX-License-Identifier: MIT
"""From YAML to the model of a system of clusters: structure, types, ranges, names of each thing alone."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from amalgam import paths
from amalgam.system import read
from amalgam.system.clusters import model
from amalgam.system.clusters.domains import read_domains
from amalgam.system.clusters.model import Board, Cluster, ClusterSystem, Kill, Kind
from amalgam.system.driven import check_lent, read_driven
from amalgam.system.families import alike
from amalgam.system.model import FileRef, System
from amalgam.system.modules import read_cmdline
from amalgam.system.reader import NAMES, Map, board_file, entries, file_ref, in_range, load
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.units import GIB, KIB, MIB, TIME_UNITS, parse_size, parse_time_us, show_size

SYSTEM_KEYS = ("system", "board", "kernel", "outbox", "patience", "clusters", "kills")
CLUSTER_KEYS = ("kind", "count", "harts", "memory", "dma", "kernel", "cmdline", "module", "domains", "channels", "awake", "devices")
BOARD_KEYS = ("board", "shape", "family", "machine", "emulator", "cpu", "bits", "max_harts", "max_memory")
DEFAULT_HARTS = 4
DEFAULT_MEMORY = {Kind.COMPUTE: 2 * MIB, Kind.IO: 4 * MIB}  # the paper's MPPA-256
DEFAULT_OUTBOX = 64 * KIB
DEFAULT_PATIENCE, FLEET_PATIENCE = 1_000, 30_000  # ms; a busy host may stop one emulator of a fleet for seconds
RESERVED = "kernel"  # the console of the firmware
KILL_MOST = 3600 * model.TIMEBASE
KILL_AT = "a time from 0.1us to 3600s, a multiple of 0.1us (units us, ms, s)"


def read_system(path: Path, diag: Diagnostics) -> ClusterSystem | None:
    """Read a system file; None when nothing of it can be understood."""
    node = load(path, diag)
    if node is None:
        return None
    top = Map(path, node, "the system", SYSTEM_KEYS, diag)
    top.require("system", "give it a name: 'system: manycore'")
    name = top.name("system", path.stem[:31], 31)
    board = read_board(top, diag)
    default = FLEET_PATIENCE if board and board.fleet else DEFAULT_PATIENCE
    patience = top.converted("patience", default, "a time from 10ms to 3600s in whole milliseconds (units ms, s)", parse_ms)
    system = ClusterSystem(
        top.mark,
        {key: top.at(key) for key in top.nodes},
        name,
        path,
        board,
        read_one_of(top, "outbox", DEFAULT_OUTBOX, model.OUTBOXES),
        patience,
    )
    if top.require("clusters", "say what there is: 'clusters: {io: {kind: io}, compute: {count: 4}}'"):
        system.clusters = read_clusters(top, system.board, file_ref(top, "kernel"), diag)
    for item in top.items("kills", "kills {cluster, at}"):
        kill = Map(path, item, "the kill", ("cluster", "at"), diag)
        kill.require("cluster", "name the cluster that is killed")
        kill.require("at", "say when: 'at: 300us'")
        system.kills.append(
            Kill(kill.mark, {key: kill.at(key) for key in kill.nodes}, kill.text("cluster"), kill.converted("at", 0, KILL_AT, parse_ticks))
        )
    return system


def parse_ticks(text: str) -> int | None:
    """A time in ticks of mtime; None when it is none, or no whole number of them, or out of range."""
    match = re.fullmatch(r"(\d{1,12})(?:\.(\d{1,9}))?\s*(us|ms|s)", text.strip())
    if not match:
        return None
    fraction = match[2] or ""
    ticks, rest = divmod(int(match[1] + fraction) * TIME_UNITS[match[3]] * model.TICKS_A_US, 10 ** len(fraction))
    return in_range(ticks, 1, KILL_MOST) if rest == 0 else None


def parse_ms(text: str) -> int | None:
    """A time in milliseconds; None when it is none, or no whole number of them, or out of range."""
    whole, rest = divmod(parse_time_us(text) or 1, 1000)
    return in_range(whole, 10, 3_600_000) if rest == 0 else None


def read_one_of(m: Map, key: str, default: int, sizes: tuple[int, ...]) -> int:
    wanted = "one of " + ", ".join(map(show_size, sizes))
    return m.converted(key, default, wanted, lambda text: size if (size := parse_size(text)) in sizes else None)


def read_board(top: Map, diag: Diagnostics) -> Board | None:
    """boards/NAME.yaml; that it exists was seen when the shape was looked up."""
    own = board_file(top.text("board"), BOARD_KEYS, diag)
    if own is None:
        return None
    return Board(
        own.mark,
        {key: own.at(key) for key in own.nodes},
        own.text("board"),
        own.text("machine"),
        own.text("emulator"),
        own.text("cpu"),
        own.integer("bits", 64, 32, 64),
        own.integer("max_harts", model.MAX_HARTS, 1, model.MAX_HARTS),
        own.size("max_memory", 2 * GIB, MIB, model.RAM_END - model.RAM),
        own.choice("family", model.ONE_MACHINE, alike(model.ONE_MACHINE)),
    )


def read_clusters(top: Map, board: Board | None, kernel: FileRef | None, diag: Diagnostics) -> list[Cluster]:
    """Each entry stands for `count` clusters; they are numbered in the order of the file."""
    node = top.nodes["clusters"]
    if not isinstance(node, yaml.MappingNode):
        diag.error(top.at("clusters"), "'clusters' is no mapping", "write 'clusters:' and below it 'NAME: {...}' for each kind")
        return []
    found: list[Cluster] = []
    for key, value in entries(top.file, node, "'clusters'", diag):
        mark = top.mark_of(key)
        if NAMES.accept(key.value) is None or key.value == RESERVED:
            diag.error(mark, f"'{key.value}' cannot name a cluster", f"use {NAMES.rule}; '{RESERVED}' is taken")
        m = Map(top.file, value, f"cluster '{key.value}'", CLUSTER_KEYS, diag)
        found += read_group(key.value, mark, m, board, kernel, len(found))
    if not found and not node.value:
        diag.error(top.at("clusters"), "a system without a cluster", "add one: 'io: {kind: io}'")
    model.number_harts(found, board is not None and board.fleet)
    return found


def read_group(name: str, mark: Mark, m: Map, board: Board | None, kernel: FileRef | None, before: int) -> list[Cluster]:
    kind = Kind[m.choice("kind", "compute", ("compute", "io")).upper()]
    count = m.integer("count", 1, 1, model.MAX_CLUSTERS)
    harts = m.integer("harts", DEFAULT_HARTS, 1, 64)
    memory = read_one_of(m, "memory", DEFAULT_MEMORY[kind], model.SLICES)
    dma = m.flag("dma", kind == Kind.COMPUTE and harts == model.DMA_CLUSTER)
    awake = m.integer("awake", 0, 1, 63) if m.has("awake") else 0
    programs = harts - 1 - dma
    if awake > max(programs, 0):
        m.diag.error(
            m.at("awake"), f"{m.what} has {programs} harts for programs, not {awake}", "leave 'awake' out: all of them may be awake"
        )
    own = file_ref(m, "kernel") or kernel
    if own is None and m.usable:
        m.diag.error(m.mark, f"{m.what} has no kernel", "name one for all: 'kernel: build:NAME.elf', or for this cluster")
    if dma and harts == 1:
        m.diag.error(m.at("dma"), f"{m.what} has one hart, its master, which cannot be a DMA engine", "give it 'harts: 2' or more")
    cmdline = read_cmdline(m)
    module = file_ref(m, "module")
    domains = read_domains(name, board, harts, dma, memory, m, own) if board else None
    if m.has("channels"):
        read_channels(m, domains)
    driven = read_driven(m) if m.has("devices") else []
    check_lent(m.what, driven, m.diag)
    if driven and domains:
        m.diag.error(m.at("devices"), f"{m.what} has domains and devices", "say which of its processes drives them: 'devices' of that one")
    if domains and module:
        m.diag.error(m.at("module"), f"{m.what} has domains and a module", "its domains are its module: leave one of them out")
    at = {key: m.at(key) for key in m.nodes}
    return [
        Cluster(
            mark,
            at,
            name if count == 1 else f"{name}{i}",
            before + i,
            kind,
            harts,
            memory,
            dma,
            own,
            cmdline,
            module,
            domains,
            awake=awake,
            driven=driven,
        )
        for i in range(count)
    ]


def read_channels(m: Map, domains: System | None) -> None:
    """What `channels:` of a cluster says, for its domains."""
    if domains is None:
        m.diag.error(m.at("channels"), f"{m.what} has channels and no domains that they join", "give it 'domains'")
    elif domains.kernel and domains.shape() in paths.SHAPES and not domains.kernel_has("IPC"):
        m.diag.error(
            m.at("channels"),
            f"the kernel of {m.what} (shape {domains.shape()}) has no channels",
            "say 'kernel: shape:cluster-pages', with 32 bits 'shape:cluster32-pages'",
        )
    else:
        domains.channels = read.read_channels(m)
