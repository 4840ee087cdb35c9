# SPDX-License-Identifier: MIT
"""A family of shapes: the boards whose systems have the same records. What a command does with a system of any family is a method here; who
adds a family writes these methods and a row of families.py."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from amalgam import paths
from amalgam.build import kconfig
from amalgam.build.kernel import build_kernel
from amalgam.system.source import Diagnostics
from amalgam.ui import Progress

if TYPE_CHECKING:
    from amalgam.board.started import Started

S = TypeVar("S")  # a system in memory


@dataclass(frozen=True)
class Family(ABC, Generic[S]):
    """How the systems of one kind of board are read, checked, packed and started. A machine (board/started.py) is debugged by its own
    methods."""

    started_by: str  # the class of its machines, with its module: imported when one is started
    commands: tuple[str, ...]  # that go with its systems, beside those that go with all

    traced_whole: ClassVar[bool] = False  # a trace is of a whole run, on a board that counts instructions

    @abstractmethod
    def read(self, path: Path, diag: Diagnostics) -> S | None:
        """The file as it stands; None: nothing of it can be understood."""

    @abstractmethod
    def check(self, system: S, diag: Diagnostics) -> None:
        """The rules that need no file but the system's."""

    @abstractmethod
    def find(self, system: S, diag: Diagnostics, make: bool, progress: Progress) -> None:
        """Find, with `make` also make, the files that it names, and check what depends on them."""

    @abstractmethod
    def pack(self, system: S, image: Path, progress: Progress) -> None:
        """Write what its board is given."""

    def checked(self, path: Path, make: bool, progress: Progress) -> S:
        """The system of a file with all its rules checked; SystemFileError lists everything that is wrong."""
        diag = Diagnostics()
        system = self.read(path, diag)
        if system:
            self.check(system, diag)
            # The rest is checked as far as it goes; nothing is fetched or made for a wrong system.
            self.find(system, diag, make and not diag.problems, progress)
        diag.stop_if_any(paths.shown(path))
        assert system
        return system

    def compile_system(
        self, path: Path, progress: Progress, image: Path | None = None, change: Callable[[S], None] | None = None
    ) -> tuple[S, Path]:
        """Check the file and write `image`, else what paths.image_of() says. `change` is shown the system before."""
        system = self.checked(path, True, progress)
        image = image or paths.image_of(path)
        if change:
            change(system)
        self.pack(system, image, progress)
        return system, image

    def kernels(self, shape: str, progress: Progress, verbose: bool = False) -> list[Path]:
        """Bring the kernel of a board up to date; none where systems name their kernels themselves."""
        return [build_kernel(shape, progress, verbose)] if shape in paths.SHAPES else []

    def goes_with(self, command: str, shape: str) -> bool:
        """Whether a command knows what to do with a kernel of this shape. One beneath a Linux that runs already has no board of its own."""
        return command in self.commands and not (shape in paths.SHAPES and kconfig.has(shape, "ATTACH"))

    def machine(self, system: S, image: Path | None) -> Started:
        """The machine that a system asks for."""
        module, _, name = self.started_by.rpartition(".")
        machine: Started = getattr(importlib.import_module(module), name).of(system, image)
        return machine
