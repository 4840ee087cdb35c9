# SPDX-License-Identifier: MIT
"""From the file of a partitioned system to its image: read, check, find the files, place, write."""

from __future__ import annotations

from pathlib import Path

from amalgam import paths
from amalgam.system.partition import model, table
from amalgam.system.partition.check import check_memory, check_system
from amalgam.system.partition.files import resolve
from amalgam.system.partition.model import PartitionSystem
from amalgam.system.partition.place import place
from amalgam.system.partition.read import read_system
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_size
from amalgam.ui import Progress


def checked(path: Path, make: bool, progress: Progress) -> PartitionSystem:
    """The system of a file with all its rules checked; SystemFileError lists everything that is wrong."""
    diag = Diagnostics()
    system = read_system(path, diag)
    if system:
        check_system(system, diag)
        if diag.problems:
            make = False  # the rest is checked as far as it goes, nothing is fetched for a wrong system
        resolve(system, diag, make, progress)
        place(system)
        check_memory(system, diag)
        check_image(system, diag)
    diag.stop_if_any(paths.shown(path))
    assert system
    return system


def check_image(system: PartitionSystem, diag: Diagnostics) -> None:
    """Table and images against the room that the board's memory map gives them."""
    room = model.IMAGE_END - model.TABLE_ADDRESS
    if diag.problems or not system.domains:
        return
    size = len(table.pack(system))
    if size > room:
        diag.error(system.domains[-1].where("kernel"), f"table and images take {show_size(size)}", f"there is room for {show_size(room)}")


def compile_system(path: Path, progress: Progress, image: Path | None = None, _change: object = None) -> tuple[PartitionSystem, Path]:
    """Check the file and write `image`, else what paths.image_of() says."""
    system = checked(path, True, progress)
    image = image or paths.image_of(path)
    progress("writing the image")
    table.write_image(system, image)
    return system, image
