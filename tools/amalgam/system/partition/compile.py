# SPDX-License-Identifier: MIT
"""Systems of the shapes that have partition/: of cores that share memory and nothing else."""

from __future__ import annotations

from pathlib import Path

from amalgam.system.family import Family
from amalgam.system.partition import model, table
from amalgam.system.partition.check import check_memory, check_system
from amalgam.system.partition.files import resolve
from amalgam.system.partition.model import PartitionSystem
from amalgam.system.partition.place import place
from amalgam.system.partition.read import read_system
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_size
from amalgam.ui import Progress


class Partitions(Family[PartitionSystem]):
    """Systems of partitions."""

    def read(self, path: Path, diag: Diagnostics) -> PartitionSystem | None:
        return read_system(path, diag)

    def check(self, system: PartitionSystem, diag: Diagnostics) -> None:
        check_system(system, diag)

    def find(self, system: PartitionSystem, diag: Diagnostics, make: bool, progress: Progress) -> None:
        resolve(system, diag, make, progress)
        place(system)
        check_memory(system, diag)
        check_image(system, diag)

    def pack(self, system: PartitionSystem, image: Path, progress: Progress) -> None:
        progress("writing the image")
        table.write_image(system, image)


def check_image(system: PartitionSystem, diag: Diagnostics) -> None:
    """Table and images against the room that the board's memory map gives them."""
    room = model.IMAGE_END - model.TABLE_ADDRESS
    if diag.problems or not system.domains:
        return
    size = len(table.pack(system))
    if size > room:
        diag.error(system.domains[-1].where("kernel"), f"table and images take {show_size(size)}", f"there is room for {show_size(room)}")
