# SPDX-License-Identifier: MIT
"""What the clusters of a system can only be wrong about together."""

from __future__ import annotations

from itertools import accumulate

from amalgam.errors import nearest
from amalgam.system.check import repeated
from amalgam.system.clusters import model
from amalgam.system.clusters.domains import check_domains
from amalgam.system.clusters.model import Cluster, ClusterSystem, Kind
from amalgam.system.source import Diagnostics
from amalgam.system.units import KIB, show_size, show_time

LEAST_BETWEEN = 100 * model.TICKS_A_US  # two kills of one cluster: time to start again


def check_system(system: ClusterSystem, diag: Diagnostics) -> None:
    """All rules that need no file."""
    clusters = system.clusters
    if len(clusters) > model.MAX_CLUSTERS:
        diag.error(clusters[model.MAX_CLUSTERS].mark, f"{len(clusters)} clusters", f"a system has at most {model.MAX_CLUSTERS}")
    most = system.board.max_harts if system.board else model.MAX_HARTS
    if system.harts > most:
        over = next(c for c, last in zip(clusters, accumulate(c.harts for c in clusters), strict=True) if last > most)
        diag.error(over.mark, f"{system.harts} harts", f"the board has at most {most}")
    if clusters and not any(c.kind == Kind.IO for c in clusters):
        diag.error(clusters[0].mark, "no cluster may power the board off", "give one of them 'kind: io'")
    for later, first in repeated(clusters, lambda c: c.name):
        diag.error(later.mark, f"'{later.name}' is a cluster of line {first.mark.line} already", "choose another name")
    check_kills(system, diag)
    check_domains(system, diag)


def show_ticks(ticks: int) -> str:
    """In microseconds, exactly."""
    whole, tenth = divmod(ticks, model.TICKS_A_US)
    return f"{whole}.{tenth}us" if tenth else show_time(whole)


def check_kills(system: ClusterSystem, diag: Diagnostics) -> None:
    names = [c.name for c in system.clusters]
    for kill in system.kills:
        cluster = system.cluster(kill.cluster)
        if cluster is None:
            if "cluster" in kill.at:
                diag.error(
                    kill.where("cluster"),
                    f"there is no cluster '{kill.cluster}'",
                    f"the clusters are {', '.join(names)}{nearest(kill.cluster, names)}",
                )
            continue
        close = [at for at in cluster.kills if abs(at - kill.at_ticks) < LEAST_BETWEEN]
        if close:
            diag.error(
                kill.where("at"),
                f"'{kill.cluster}' is killed {show_ticks(kill.at_ticks)} and {show_ticks(close[0])} after the start",
                f"leave at least {show_ticks(LEAST_BETWEEN)} between",
            )
        cluster.kills.append(kill.at_ticks)
    for cluster in system.clusters:
        cluster.kills.sort()


def check_memory(system: ClusterSystem, diag: Diagnostics) -> None:
    """Placed clusters against what the board has, and images against their slices."""
    if not system.board or not system.clusters:
        return
    used, most = system.end - model.RAM, system.board.max_memory
    if used > most:
        over = next(c for c in system.clusters if c.base + c.memory - model.RAM > most)
        diag.error(
            over.where("memory"),
            f"firmware, NoC slice and all memories take {show_size(used)}",
            f"the board has at most {show_size(most)}",
        )
    for cluster in system.clusters:
        check_slice(cluster, diag)


def check_slice(cluster: Cluster, diag: Diagnostics) -> None:
    if cluster.image and cluster.image.room > cluster.module_at - cluster.base:
        need = cluster.image.room + cluster.base + cluster.memory - cluster.module_at
        fitting = next((size for size in model.SLICES if size >= need), None)
        diag.error(
            cluster.where("memory"),
            f"{show_size(cluster.memory)} cannot hold the kernel of '{cluster.name}', its module and its device tree, {-(-need // KIB)}K",
            f"give it {show_size(fitting)}" if fitting else f"at most {show_size(model.SLICES[-1])} are possible",
        )
