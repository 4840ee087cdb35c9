# SPDX-License-Identifier: MIT
"""From the file of a system of clusters to the board's file: read, check, find the kernels, place, write."""

from __future__ import annotations

from pathlib import Path

from amalgam import paths, proc
from amalgam.building import building
from amalgam.system.clusters import table
from amalgam.system.clusters.check import check_memory, check_system
from amalgam.system.clusters.files import resolve
from amalgam.system.clusters.model import ClusterSystem
from amalgam.system.clusters.place import place
from amalgam.system.clusters.read import read_system
from amalgam.system.source import Diagnostics
from amalgam.ui import Progress


def checked(path: Path, make: bool, progress: Progress) -> ClusterSystem:
    """The system of a file with all its rules checked; SystemFileError lists everything that is wrong."""
    diag = Diagnostics()
    system = read_system(path, diag)
    if system:
        check_system(system, diag)
        if diag.problems:
            make = False  # the rest is checked as far as it goes, nothing is made for a wrong system
        resolve(system, diag, make, progress)
        place(system)
        check_memory(system, diag)
    diag.stop_if_any(paths.shown(path))
    assert system
    return system


@building()
def make_firmware(bits: int, progress: Progress) -> Path:
    """Build firmware/manycore."""
    progress("firmware")
    proc.need("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf")
    proc.run(["make", "-s", "-C", paths.ROOT / "firmware" / "manycore"], "building the firmware")
    return paths.BUILD / "firmware" / f"manycore-rv{bits}.bin"


def fleet_image(image: Path, number: int) -> Path:
    """The file of one board of a fleet."""
    return image.with_suffix(f".{number}.img")


def compile_system(path: Path, progress: Progress, image: Path | None = None, _change: object = None) -> tuple[ClusterSystem, Path]:
    """Check the file and write `image`, else what paths.image_of() says; for a fleet a file beside it for each cluster (fleet_image())."""
    system = checked(path, True, progress)
    assert system.board
    firmware = make_firmware(system.board.bits, progress)
    image = image or paths.image_of(path)
    progress("writing the image")
    if system.fleet:
        for cluster in system.clusters:
            table.write_image(system, firmware.read_bytes(), fleet_image(image, cluster.number), cluster)
    else:
        table.write_image(system, firmware.read_bytes(), image)
    return system, image
