# SPDX-License-Identifier: MIT
"""Systems of the shapes that have core/: of PCs, virt and SCCs."""

from __future__ import annotations

from pathlib import Path

from amalgam.errors import nearest
from amalgam.system.check import check_memory, check_system
from amalgam.system.family import Family
from amalgam.system.files import resolve
from amalgam.system.image import image_size, write_image
from amalgam.system.model import Kind, System
from amalgam.system.read import read_system
from amalgam.system.source import Diagnostics
from amalgam.system.tasks import native_tasks
from amalgam.ui import Progress


class Usual(Family[System]):
    """What they have in common."""

    def read(self, path: Path, diag: Diagnostics) -> System | None:
        return read_system(path, diag)

    def check(self, system: System, diag: Diagnostics) -> None:
        check_system(system, diag)
        check_tasks(system, diag)

    def find(self, system: System, diag: Diagnostics, make: bool, progress: Progress) -> None:
        resolve(system, diag, make, progress)
        check_memory(system, image_size(system), diag)

    def pack(self, system: System, image: Path, progress: Progress) -> None:
        progress("writing the image")
        write_image(system, native_tasks(), image)


def check_tasks(system: System, diag: Diagnostics) -> None:
    tasks = native_tasks()
    without = system.board and not system.kernel_has("NATIVE_TASKS")
    for domain in system.domains:
        if domain.kind == Kind.TASK and domain.task and system.board and without:
            diag.error(
                domain.where("kind"),
                f"'{domain.name}' is a native task, but the kernel of the board {system.board.name} (shape {system.shape()}) has none",
                "say 'board: q35'",
            )
        if domain.kind == Kind.TASK and "task" in domain.at and domain.task not in tasks:
            diag.error(
                domain.where("task"),
                f"the kernel has no built-in task '{domain.task}'{nearest(domain.task, list(tasks))}",
                f"there are {', '.join(tasks) or 'none'}",
            )
