# SPDX-License-Identifier: MIT
"""The domains of a cluster: each cluster's kernel is given a system of its own, which lies beside it as its module."""

from __future__ import annotations

from pathlib import Path

from amalgam import paths
from amalgam.build import kconfig
from amalgam.system import model
from amalgam.system.boards import Board as OwnBoard
from amalgam.system.check import check_system
from amalgam.system.clusters import model as model_of_clusters
from amalgam.system.clusters.model import Board, ClusterSystem
from amalgam.system.clusters.model import Kind as ClusterKind
from amalgam.system.files import resolve
from amalgam.system.image import write_image
from amalgam.system.model import Domain, FileRef, Kind, System
from amalgam.system.read import DOMAIN_KEYS, read_domain
from amalgam.system.reader import NAMES, Map, domain_entries
from amalgam.system.source import Diagnostics
from amalgam.system.spawned import add_slots
from amalgam.system.tasks import native_tasks
from amalgam.system.units import KIB, show_size
from amalgam.ui import Progress

MOST = 32  # clusters that talk to each other (kernel/include/hal/noc.h)
LANE = 2 * KIB  # of an outbox, for each cluster (kernel/cluster/lane.h); portals' data take pages of what is left
MASTER = 0  # the core that serves: a process has the others, unless it says otherwise


def own_board(board: Board, harts: int, memory: int, m: Map, kernel: str) -> OwnBoard:
    """A cluster as a board of its own. Its kernel, a shape, lends devices, or does not."""
    at = {key: m.at(key) for key in m.nodes}
    return OwnBoard(
        m.mark,
        at,
        board.name,
        "manycore",
        board.machine,
        board.cpu,
        harts,
        harts,
        memory,
        memory,
        1,
        False,
        0,
        board.emulator,
        family=board.family,
        processes="manycore",
        devices=kernel if kernel in paths.SHAPES and kconfig.has(kernel, "DEVICE") else "",
    )


def read_domains(name: str, board: Board, harts: int, dma: bool, memory: int, m: Map, kernel: FileRef | None) -> System | None:
    """What `domains:` of a cluster says; None when it has none. The last core runs none of them if it is a DMA engine."""
    if not m.has("domains"):
        return None
    harts -= dma
    at = {key: m.at(key) for key in m.nodes}
    shape = kernel.text.removeprefix("shape:") if kernel and kernel.text.startswith("shape:") else ""
    system = System(m.mark, at, name, m.file, own_board(board, harts, memory, m, shape), cores=harts, memory=memory, kernel=shape)
    for key, mark, node in domain_entries(m, NAMES, model.SHARED, m.diag):
        own = Map(m.file, node, f"domain '{key}'", DOMAIN_KEYS, m.diag)
        domain = read_domain(key, mark, own, system)
        if domain.kind == Kind.PROCESS:
            give_defaults(domain, own, harts)
        system.domains.append(domain)
    for domain in system.domains:
        if domain.slots and not domain.slots.cores:
            domain.slots.cores = [(core, domain.slots.mark) for core in idle_cores(system, harts)]
    system.domains = add_slots(system.domains)
    for domain in system.domains if dma else ():
        refuse_engine(domain, harts, m)
    return system


def idle_cores(system: System, harts: int) -> list[int]:
    """Those which no domain has, and that are not the master's: what is started in slots runs there, unless `spawn` says otherwise."""
    used = {core for domain in system.domains for core, _mark in domain.cores}
    return [core for core in range(MASTER + 1, harts) if core not in used]


def give_defaults(domain: Domain, m: Map, harts: int) -> None:
    """A program has all cores but the master's, and a thread for each."""
    slaves = range(MASTER + 1, harts) or range(1)
    if not m.has("cores"):
        domain.cores = [(core, m.mark) for core in slaves][: model.MAX_CORES]
        domain.vcpus = len(domain.cores)
    if not m.has("threads"):
        domain.threads = len(domain.cores)


def refuse_engine(domain: Domain, engine: int, m: Map) -> None:
    for core, mark in domain.cores:
        if core == engine:
            m.diag.error(mark, f"'{domain.name}' wants core {core}, which is the DMA engine", f"use 0 to {engine - 1}, or say 'dma: false'")
    domain.cores = [(core, mark) for core, mark in domain.cores if core != engine]
    domain.vcpus = len(domain.cores)


def check_domains(system: ClusterSystem, diag: Diagnostics) -> None:
    """The rules of any system, of those of the clusters; of equal clusters once."""
    for own in own_systems(system):
        check_system(own, diag)
        for domain in own.domains:
            if domain.kind != Kind.PROCESS:
                diag.error(domain.mark, f"domain '{domain.name}' is no process", "the kernel of a cluster runs processes: 'kind: process'")
    check_drivers(system, diag)
    count = len(system.clusters)
    if not own_systems(system):
        return
    if count > MOST:
        diag.error(
            system.clusters[MOST].mark, f"{count} clusters, some with domains", f"at most {MOST} talk to each other: leave 'domains' out"
        )
    elif system.outbox < count * LANE + model_of_clusters.PAGE:
        diag.error(
            system.where("outbox"),
            f"an outbox of {show_size(system.outbox)} has no room for data beside the lanes of {count} clusters",
            f"say 'outbox: {show_size(next(size for size in model_of_clusters.OUTBOXES if size >= count * LANE + model_of_clusters.PAGE))}'",
        )


def check_drivers(system: ClusterSystem, diag: Diagnostics) -> None:
    """The firmware has the board's devices for one cluster, which says with them what the outside hears."""
    drivers = system.drivers
    for cluster in drivers:
        mark = cluster.devices[0][1]
        if system.fleet:
            diag.error(mark, f"'{cluster.name}' drives devices, which no machine of a fleet has", "say 'board: manycore'")
        elif cluster.kind != ClusterKind.IO:
            diag.error(mark, f"'{cluster.name}' drives devices and is no I/O cluster", "say 'kind: io'")
        elif cluster is not drivers[0]:
            diag.error(mark, f"'{cluster.name}' drives devices, and so does '{drivers[0].name}'", "one cluster of a system has them all")


def resolve_domains(system: ClusterSystem, diag: Diagnostics, make: bool, progress: Progress, folder: Path) -> None:
    """Find their files, and make each system's image in `folder`, which becomes the module of its clusters."""
    made: dict[int, bytes] = {}
    for own in own_systems(system):
        resolve(own, diag, make, progress)
        if make and not diag.problems:
            path = folder / f"{system.name}-{own.name}.img"
            write_image(own, native_tasks(), path)
            made[id(own)] = path.read_bytes()
    for cluster in system.clusters:
        if cluster.own:
            cluster.module_data = made.get(id(cluster.own), b"")


def own_systems(system: ClusterSystem) -> list[System]:
    """Each one once."""
    return list({id(c.own): c.own for c in system.clusters if c.own}.values())
