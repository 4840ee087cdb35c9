# SPDX-License-Identifier: MIT
"""Systems of clusters: of the boards manycore and their fleets."""

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
from amalgam.system.family import Family
from amalgam.system.source import Diagnostics
from amalgam.ui import Progress


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


class Clusters(Family[ClusterSystem]):
    """Systems of clusters, which name their kernels themselves."""

    traced_whole = True

    def read(self, path: Path, diag: Diagnostics) -> ClusterSystem | None:
        return read_system(path, diag)

    def check(self, system: ClusterSystem, diag: Diagnostics) -> None:
        check_system(system, diag)

    def find(self, system: ClusterSystem, diag: Diagnostics, make: bool, progress: Progress) -> None:
        resolve(system, diag, make, progress)
        place(system)
        check_memory(system, diag)

    def pack(self, system: ClusterSystem, image: Path, progress: Progress) -> None:
        """For a fleet a file beside `image` for each cluster (fleet_image())."""
        assert system.board
        firmware = make_firmware(system.board.bits, progress)
        progress("writing the image")
        if system.fleet:
            for cluster in system.clusters:
                table.write_image(system, firmware.read_bytes(), fleet_image(image, cluster.number), cluster)
        else:
            table.write_image(system, firmware.read_bytes(), image)
