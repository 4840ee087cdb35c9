# SPDX-License-Identifier: MIT
"""From a system file to its image: read, check, find the files, write."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import yaml

from amalgam import kconfig, paths
from amalgam.building import building
from amalgam.errors import UserError, nearest
from amalgam.system.check import check_memory, check_system
from amalgam.system.clusters.model import ClusterSystem
from amalgam.system.files import resolve
from amalgam.system.image import image_size, write_image
from amalgam.system.model import Kind, System, kernel_for
from amalgam.system.partition.model import PartitionSystem
from amalgam.system.read import read_system
from amalgam.system.source import Diagnostics
from amalgam.system.tasks import native_tasks
from amalgam.ui import Progress

FAMILIES = {
    "ppc405": "amalgam.system.partition.compile",
    "manycore": "amalgam.system.clusters.compile",
}  # of shapes with records of their own


def locate(word: str) -> Path:
    """The file that a user means by `word`: a path, or the name of one in systems/."""
    path = Path(word)
    if path.suffix in (".yaml", ".yml"):
        if path.is_file():
            return path.resolve()
    elif (paths.SYSTEMS / f"{word}.yaml").is_file():
        return paths.SYSTEMS / f"{word}.yaml"
    known = sorted(p.stem for p in paths.SYSTEMS.glob("*.yaml"))
    raise UserError(
        f"there is no system '{word}'{nearest(word, known)}", f"systems/ holds {', '.join(known)}; or give a path that ends in .yaml"
    )


def locate_pc(word: str, command: str) -> Path:
    """The same for a command that only systems of the pc shape have."""
    path = locate(word)
    if (shape := shape_of(path)) not in ("pc", "process"):
        raise UserError(
            f"'{command}' goes with systems of the pc shape; {paths.shown(path)} is of the shape {shape}", "./amalgam run it", 2
        )
    return path


def shape_of(path: Path) -> str:
    """The shape of the kernel that a system's board needs; `pc` when the file does not say: its own check complains then."""
    try:
        top = root_of(path)
        board = root_of(paths.BOARDS / f"{text_at(top, 'board')}.yaml")
        shape = text_at(board, "shape")
        if not shape or shape == "manycore":
            return shape or "pc"
        domains = [domain for _, domain in pairs_of(value_at(top, "domains"))]
        tasks = [task for domain in domains if (task := text_at(domain, "task"))]
        processes = [domain for domain in domains if text_at(domain, "kind") == "process"]
        drives = any(value_at(process, "devices") is not None for process in processes)
        others = (text_at(board, "devices"), "") if drives else (text_at(board, "processes"), text_at(board, "tasks"))
        return kernel_for(shape, *others, bool(processes), tasks)
    except (OSError, yaml.YAMLError, ValueError, RecursionError, KeyError):
        return "pc"


def family_of(path: Path) -> ModuleType | None:
    """Who reads, checks and writes the systems of this file's shape, with functions checked() and compile_system(); None: this module."""
    found = FAMILIES.get(shape_of(path))
    return importlib.import_module(found) if found else None


def root_of(path: Path) -> yaml.Node | None:
    """A YAML file as nodes. Not as values: a few lines of merges of merges (`<<`) would be made into as many values as there is memory for."""
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)


def pairs_of(node: yaml.Node | None) -> list[tuple[str, yaml.Node]]:
    """What a mapping holds under plain words."""
    if not isinstance(node, yaml.MappingNode):
        return []
    return [(key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]


def value_at(node: yaml.Node | None, name: str) -> yaml.Node | None:
    return next((value for key, value in pairs_of(node) if key == name), None)


def text_at(node: yaml.Node | None, name: str) -> str:
    """The plain value of a key; empty: there is none."""
    value = value_at(node, name)
    return value.value if isinstance(value, yaml.ScalarNode) else ""


def checked(path: Path, make: bool, progress: Progress) -> System | PartitionSystem | ClusterSystem:
    """The system of a file with all its rules checked; SystemFileError lists everything that is wrong."""
    family = family_of(path)
    made: System | PartitionSystem | ClusterSystem = family.checked(path, make, progress) if family else checked_pc(path, make, progress)
    return made


def checked_pc(path: Path, make: bool, progress: Progress) -> System:
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
    without = system.board and not kconfig.has(system.shape(), "NATIVE_TASKS")
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


@building()
def compile_system(
    path: Path, progress: Progress, image: Path | None = None, change: Callable[[System], None] = lambda _system: None
) -> tuple[System | PartitionSystem | ClusterSystem, Path]:
    """Check the file and write `image`, else what paths.image_of() says. `change` is shown a system of the pc or virt shape before."""
    if family := family_of(path):
        made: tuple[System | PartitionSystem | ClusterSystem, Path] = family.compile_system(path, progress, image)
        return made
    system = checked_pc(path, True, progress)
    image = image or paths.image_of(path)
    change(system)
    progress("writing the image")
    write_image(system, native_tasks(), image)
    return system, image
