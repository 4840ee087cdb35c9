# SPDX-License-Identifier: MIT
"""From a system file of the pc and virt shapes to its image: read, check, find the files, write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from amalgam import paths
from amalgam.errors import nearest
from amalgam.system.check import check_memory, check_system
from amalgam.system.files import resolve
from amalgam.system.image import image_size, write_image
from amalgam.system.model import Kind, System
from amalgam.system.read import read_system
from amalgam.system.source import Diagnostics
from amalgam.system.tasks import native_tasks
from amalgam.ui import Progress


def checked(path: Path, make: bool, progress: Progress) -> System:
    """The system of a file with all its rules checked; SystemFileError lists everything that is wrong."""
    diag = Diagnostics()
    system = read_system(path, diag)
    if system:
        check_system(system, diag)
        check_tasks(system, diag)
        if diag.problems:
            make = False  # the rest is checked as far as it goes, nothing is fetched for a wrong system
        resolve(system, diag, make, progress)
        check_memory(system, image_size(system), diag)
    diag.stop_if_any(paths.shown(path))
    assert system
    return system


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


def compile_system(
    path: Path, progress: Progress, image: Path | None = None, change: Callable[[System], None] | None = None
) -> tuple[System, Path]:
    """Check the file and write `image`, else what paths.image_of() says. `change` is shown the system before."""
    system = checked(path, True, progress)
    image = image or paths.image_of(path)
    if change:
        change(system)
    progress("writing the image")
    write_image(system, native_tasks(), image)
    return system, image
