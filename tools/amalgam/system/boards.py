# SPDX-License-Identifier: MIT
"""The board of a system in memory, as boards/NAME.yaml says it, and which shape's kernel a system needs there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from amalgam import paths
from amalgam.build import kconfig
from amalgam.system.source import Placed

MIGRATING = {"scc": ("scc-migrate", ("svm-touch", "svm-touch-bench", "svm-publish"))}
"""Shapes whose kernel is another one for a system with one of these native tasks (kernel/include/task/apps.h)."""


def kernel_for(shape: str, with_processes: str, with_tasks: str, processes: bool, tasks: Iterable[str]) -> str:
    """The shape of the kernel that a system needs whose board has `shape`, and others for systems that have processes, or native tasks."""
    named = set(tasks) - {""}
    other, wanting = MIGRATING.get(shape, (shape, ()))
    if named and with_tasks:
        return with_tasks
    if processes and with_processes:
        return with_processes
    return other if set(wanting) & named else shape


@dataclass
class Board(Placed):
    name: str
    shape: str
    machine: str
    cpu: str
    cores: int
    max_cores: int
    memory: int
    max_memory: int
    serial_ports: int
    guests: bool
    kernel_memory: int
    emulator: str  # the program that is this machine
    family: str = "pc"  # how that is run (system/families.py)
    processes: str = ""  # the shape of its kernel for a system with processes; empty: there is none
    devices: str = ""  # the same, if processes drive devices of the board
    tasks: str = ""  # and for one with native tasks, whatever else it has; empty: no other one

    def is_scc(self) -> bool:
        """Whether it is an SCC, where what a system says is about one kernel and each core has one."""
        return self.family in ("scc", "scc-fleet")

    def is_cluster(self) -> bool:
        """Whether it is one of a board's clusters, whose kernel the system names."""
        return self.shape not in paths.SHAPES

    def has(self, option: str) -> bool:
        """Whether the kernel that it takes for a system without processes has an option."""
        return self.shape in paths.SHAPES and kconfig.has(self.shape, option)

    def ring1(self) -> bool:
        """Whether its guests run in ring 1."""
        return self.guests and self.has("PARA")
