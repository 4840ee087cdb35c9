# SPDX-License-Identifier: MIT
"""From a system file to its image, by the family of its board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from amalgam import paths
from amalgam.building import building
from amalgam.errors import UserError, nearest
from amalgam.system.boards import kernel_for
from amalgam.system.families import PC, family_named
from amalgam.system.family import Family
from amalgam.ui import Progress


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


def locate_for(word: str, command: str) -> Path:
    """The same for a command that does not go with every system."""
    path = locate(word)
    if not family_of(path).goes_with(command, shape := shape_of(path)):
        boards = ", ".join(board.stem for board in sorted(paths.BOARDS.glob("*.yaml")) if knows(board, command))
        raise UserError(
            f"'{command}' goes with systems of the boards {boards}; {paths.shown(path)} is of the shape {shape}", "./amalgam run it", 2
        )
    return path


def shape_of(path: Path) -> str:
    """The shape of the kernel that a system's board needs; `pc` when the file does not say: its own check complains then."""
    try:
        top = root_of(path)
        board = root_of(paths.BOARDS / f"{text_at(top, 'board')}.yaml")
        shape = text_at(board, "shape")
        if shape not in paths.SHAPES:  # none, or clusters' kernels, which the system names
            return shape or "pc"
        domains = [domain for _, domain in pairs_of(value_at(top, "domains"))]
        tasks = [task for domain in domains if (task := text_at(domain, "task"))]
        processes = [domain for domain in domains if text_at(domain, "kind") == "process"]
        drives = any(value_at(process, key) is not None for process in processes for key in ("devices", "ports"))
        drives |= any(value_at(domain, "joins") is not None for domain in domains)
        others = (text_at(board, "devices"), "") if drives else (text_at(board, "processes"), text_at(board, "tasks"))
        return kernel_for(shape, *others, bool(processes), tasks)
    except (OSError, yaml.YAMLError, ValueError, RecursionError, KeyError):
        return "pc"


def family_of(path: Path) -> Family[Any]:
    """Who reads, checks, packs and starts the systems of this file's board."""
    try:
        return family_named(text_at(root_of(paths.BOARDS / f"{text_at(root_of(path), 'board')}.yaml"), "family"))
    except (OSError, yaml.YAMLError, ValueError, RecursionError):
        return family_named(PC)


def knows(board: Path, command: str) -> bool:
    """Whether a command goes with systems of a board."""
    node = root_of(board)
    return family_named(text_at(node, "family")).goes_with(command, text_at(node, "shape"))


def kernel_of(path: Path, progress: Progress, verbose: bool = False) -> list[Path]:
    """The kernel of a system's board, built; none for clusters, which name their kernels themselves."""
    return family_of(path).kernels(shape_of(path), progress, verbose)


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


def checked(path: Path, make: bool, progress: Progress) -> Any:
    """The system of a file with all its rules checked; SystemFileError lists everything that is wrong."""
    return family_of(path).checked(path, make, progress)


@building()
def compile_system(
    path: Path, progress: Progress, image: Path | None = None, change: Callable[[Any], None] | None = None
) -> tuple[Any, Path]:
    """Check the file and write `image`, else what paths.image_of() says. `change` is shown the system before."""
    return family_of(path).compile_system(path, progress, image, change)
