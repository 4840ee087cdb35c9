# SPDX-License-Identifier: MIT
"""Systems on the board, for tests: images are built once a session, boards take turns (turns.py), their logs stay for a look.

def test_something(boot):
    with boot("debian") as board:                 # a name in systems/, a path, or a mapping as a system file holds it
        board["linux"].expect(r"# $", 120)
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
from amalgam import paths
from amalgam.board.machine import machine_for
from amalgam.build.iso import make_iso
from amalgam.build.kernel import build_kernel
from amalgam.system.compile import compile_system, locate
from amalgam.system.model import System
from last_words import logs_of, sections
from second import on
from turns import Node, beside, set_fields, turn

OWN = paths.BUILD / "test-systems" / os.environ.get("PYTEST_XDIST_WORKER", "alone")  # another worker's system may have the same name
Boot = Callable[..., Any]


class Images:
    """Systems that were built in this session."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.built: dict[Path, tuple[System, Path]] = {}
        self.kernels: set[Path] = set()  # that are up to date
        self.busy = False  # a board runs

    def get(self, system: str | Path | dict[str, Any]) -> tuple[System, Path]:
        if isinstance(system, dict):
            text = yaml.safe_dump(system, sort_keys=False)
            path = self.folder / f"{system['system']}-{zlib.crc32(text.encode()):x}.yaml"
            path.write_text(text, encoding="utf-8")
        else:
            path = locate(str(system))
        if path not in self.built:
            self.built[path] = compile_system(path, lambda _text: None, OWN / f"{path.stem}.img")
        return self.built[path]

    def bring(self, kernel: Path) -> None:
        """Bring a shape's kernel up to date: whoever asks for a board need not know which it boots."""
        shape = kernel.parent.name
        if kernel not in self.kernels and kernel == paths.kernel_elf(shape):
            build_kernel(shape, lambda _text: None)
        self.kernels.add(kernel)


@pytest.fixture(scope="session")
def kernel() -> Path:
    """The kernel under test, up to date."""
    return build_kernel("pc", lambda _text: None)


@pytest.fixture(scope="session")
def images(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Images:
    return Images(tmp_path_factory.mktemp("systems"))


@contextmanager
def running(
    images: Images, system: str | Path | dict[str, Any], node: Node, iso: bool | Path = False, emulator: str = "", **machine: Any
) -> Iterator[Any]:
    """A board with a system; `machine` sets fields of Machine (icount, cpu, cores, memory, extra), a function to what it returns when all is built (support.Ports); `emulator`: another one than QEMU (second.py); `iso`: from
    a CD image, one that was made or the system's own."""
    made, image = images.get(system)
    wanted = on(machine_for(made, image), emulator)
    set_fields(wanted, machine, its_turn=False)
    images.bring(wanted.kernel)
    if iso:
        wanted.iso = iso if isinstance(iso, Path) else make_iso(image.stem, wanted.kernel, image, lambda _text: None, lean=True)
    assert not images.busy, "a module's fixture still has a board: give the other one a module of its own"
    with turn(wanted.icount or beside(node)):
        images.busy = True
        try:
            set_fields(wanted, machine, its_turn=True)
            with wanted.board(made.speakers, logs_of(node)) as board:
                yield board
        finally:
            images.busy = False


@pytest.fixture
def boot(images: Images, request: pytest.FixtureRequest) -> Boot:
    """Start a system for one test."""
    return lambda system, **machine: running(images, system, request.node, **machine)


@pytest.fixture
def one_board(request: pytest.FixtureRequest) -> Iterator[None]:
    """For tests whose board is started by a command or a bench."""
    with turn(beside(request.node)):
        yield


@pytest.fixture(scope="module")
def boot_module(images: Images, request: pytest.FixtureRequest) -> Boot:
    """Start a system for a module's own fixture, so that its tests share one board."""
    return lambda system, **machine: running(images, system, request.node, **machine)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failure shows what the board said last, where the consoles' logs are, and how to run just this test again."""
    outcome: Any = yield
    report = outcome.get_result()
    if not report.failed:
        return
    report.sections.append(("again, alone", f"./amalgam test '{item.name}'" + (" -- --full" if item.get_closest_marker("full") else "")))
    report.sections.extend(sections(item))
