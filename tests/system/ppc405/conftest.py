# SPDX-License-Identifier: MIT
"""Systems of the ppc405 shape for tests: boards take turns (turns.py), its consoles' logs stay for a look.

def test_something(fleet):
    with fleet({"system": "x", "board": "ref405ep", "domains": {...}}) as board:     # or a name in systems/
        board["linux"].expect("init: .* is up", 60)
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import artifacts, paths
from amalgam.board.fleet import FleetBoard
from amalgam.board.machine import machine_for
from amalgam.board.native import NativeBoard
from amalgam.build.kernel import build_kernel
from amalgam.measure import benches
from amalgam.system.compile import compile_system, locate
from amalgam.system.partition.model import PartitionSystem
from last_words import logs_of
from turns import Node, beside, set_fields, turn

OWN = paths.BUILD / "test-systems" / os.environ.get("PYTEST_XDIST_WORKER", "alone")  # another worker's system may have the same name


class Systems:
    """Compiled once a session."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.built: dict[Path, tuple[PartitionSystem, Path]] = {}

    def get(self, system: str | dict[str, Any]) -> tuple[PartitionSystem, Path]:
        if isinstance(system, dict):
            text = yaml.safe_dump(system, sort_keys=False)
            path = self.folder / f"{system['system']}-{zlib.crc32(text.encode()):x}.yaml"
            path.write_text(text, encoding="utf-8")
        else:
            path = locate(system)
        if path not in self.built:
            self.built[path] = compile_system(path, lambda _text: None, OWN / f"{path.stem}.img")  # type: ignore[assignment]
        return self.built[path]


@pytest.fixture(scope="session")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Systems:
    build_kernel("ppc405", lambda _text: None)
    artifacts.make_guests(lambda _text: None, "ppc405")
    return Systems(tmp_path_factory.mktemp("ppc405"))


@pytest.fixture(scope="session")
def without_fast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernel without the short ways, CONFIG_FAST."""
    context = benches.Context("proteus", lambda _text: None, output=tmp_path_factory.mktemp("without"))
    benches.module("proteus", "footprint").built(context, "ppc405", ["fast"])
    return context.file("footprint") / "ppc405-without-fast" / "amalgam.elf"


@contextmanager
def running(systems: Systems, system: str | dict[str, Any], node: Node, **fields: Any) -> Iterator[FleetBoard]:
    made, image = systems.get(system)
    wanted = machine_for(made, image)
    set_fields(wanted, fields, its_turn=False)
    with turn((wanted.icount and wanted.cores == 1) or beside(node)):
        set_fields(wanted, fields, its_turn=True)
        with FleetBoard(wanted, keep=logs_of(node)) as board:
            yield board


@pytest.fixture
def fleet(systems: Systems, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Start a system; `fields` sets what Fleet has (icount, extra, tagged, ...)."""
    return lambda system, **fields: running(systems, system, request.node, **fields)


@pytest.fixture(scope="module")
def fleet_module(systems: Systems, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The same for a board that the tests of a module share."""
    return lambda system, **fields: running(systems, system, request.node, **fields)


@contextmanager
def bare(systems: Systems, system: str | dict[str, Any], node: Node, extra: list[str] | None = None) -> Iterator[NativeBoard]:
    made, _image = systems.get(system)
    with turn(beside(node)), NativeBoard(made.domains[0], made.memory, extra) as board:
        yield board


@pytest.fixture
def native(systems: Systems, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The first domain of a system on the bare board."""
    return lambda system, extra=None: bare(systems, system, request.node, extra)


@pytest.fixture(scope="module")
def native_module(systems: Systems, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The same for a board that the tests of a module share."""
    return lambda system, extra=None: bare(systems, system, request.node, extra)
