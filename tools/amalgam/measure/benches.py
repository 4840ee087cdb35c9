# SPDX-License-Identifier: MIT
"""Benchmarks: bench/NAME/bench.py holds run(ctx) -> rows. A row is what one claim of the documents stands on.

from amalgam.measure.benches import Context, Row

def run(ctx: Context) -> list[Row]:
    with ctx.board("exits", icount=True) as board:
        match = board["exits"].expect(r"hypercall=(\\d+)", 120)
    return [Row("hypercall", int(match[1]), "instructions", paper=None, peer="KVM 2,811", how="...")]
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from amalgam import paths
from amalgam.errors import UserError, nearest
from amalgam.ui import Progress

if TYPE_CHECKING:
    from amalgam.board.board import Board


@dataclass
class Row:
    """One figure. `paper` and `peer` are the figures it stands beside; `how` says how it was measured."""

    metric: str
    value: float
    unit: str
    paper: float | str | None = None
    peer: float | str | None = None
    how: str = ""

    def record(self) -> dict[str, object]:
        return asdict(self)


@dataclass
class Context:
    """What a bench may use."""

    name: str
    progress: Progress
    full: bool = False  # more samples, longer runs
    peers: bool = False  # measure again what is stored in bench/peers/
    output: Path = field(default_factory=lambda: paths.BUILD / "bench")

    @property
    def folder(self) -> Path:
        """Where the bench's own files lie."""
        return paths.BENCH / self.name

    def kernel(self, shape: str = "pc") -> Path:
        """The kernel, built."""
        from amalgam.build.kernel import build_kernel

        return build_kernel(shape, self.progress)

    def board(self, system: str | Path, *, icount: bool = False, cpu: str | None = None, extra: Sequence[str] = (), **fields: Any) -> Board:
        """A board that runs a system: a name in systems/, or a file of the bench's folder. `extra`: words for QEMU; `fields`: others of Machine."""
        from amalgam.board.machine import machine_for
        from amalgam.system.compile import compile_system, kernel_of, locate

        own = self.folder / system
        path = own if own.is_file() else locate(str(system))
        kernel_of(path, self.progress)
        made, image = compile_system(path, self.progress)
        machine = machine_for(made, image)
        machine.icount, machine.extra = icount, [*machine.extra, *extra]
        for name, value in (fields | ({"cpu": cpu} if cpu else {})).items():
            assert hasattr(machine, name), name
            setattr(machine, name, value)
        return machine.board(made.speakers, self.output / self.name / "logs")

    def file(self, name: str) -> Path:
        """A place below build/bench/NAME for a plot or raw samples."""
        path = self.output / self.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def names() -> list[str]:
    """All benches, in the order of their names."""
    return sorted(p.parent.name for p in paths.BENCH.glob("*/bench.py"))


def module(name: str, file: str = "bench") -> ModuleType:
    """A module of a bench's folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"bench_{name.replace('-', '_')}_{file}", paths.BENCH / name / f"{file}.py")
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded  # for its dataclasses
    spec.loader.exec_module(loaded)
    return loaded


def load(name: str, part: str = "run") -> Callable[[Context], list[Row]]:
    """The run function of a bench, or one that measures a part of it."""
    if not (paths.BENCH / name / "bench.py").is_file():
        raise UserError(f"there is no bench '{name}'{nearest(name, names())}", f"there are {', '.join(names()) or 'none yet'}")
    return getattr(module(name), part)
