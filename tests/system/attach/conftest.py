# SPDX-License-Identifier: MIT
"""Stock Debian on the bare board for tests of the attach shape: boards take turns (turns.py), a module's tests share it.

def test_something(host):            # a fixture of the module: with boot_linux(cores=4) as board: yield Host(board)
    host.ok("amalgam load")

The long run does all tests on two versions of Linux: the stock one and the newest that this Debian has. A test of the short run that needs the
newest asks for it: boot_linux(meta=newest_linux).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.artifacts import kernel
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine, quick
from last_words import logs_of
from linuxhost import Host
from turns import beside, turn

RELEASES: dict[str, str] = {}
"""The Linux that was booted for each package."""


def quiet(_text: str) -> None:
    """No progress."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The long run does everything twice, in a Debian that has two versions of Linux."""
    if "linux_package" in metafunc.fixturenames and metafunc.config.getoption("--full"):
        packages = dict.fromkeys([kernel.META, kernel.newest(paths.CACHE, quiet)])
        metafunc.parametrize("linux_package", list(packages), scope="session")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """On which Linux this was, for the summary."""
    for package, release in RELEASES.items():
        item.user_properties.append(("summary", f"attach: Linux {release} ({package})"))


@pytest.fixture(scope="session")
def linux_package() -> str:
    """The package of the Linux that is booted."""
    return kernel.META


@pytest.fixture(scope="session")
def newest_linux() -> str:
    """The package of the newest Linux that this Debian has."""
    return kernel.newest(paths.CACHE, quiet)


@pytest.fixture(scope="session")
def linux_on_the_board() -> Callable[[str], LinuxMachine]:
    """Kernel, module, command and initrd of a package, up to date; made once."""
    made: dict[str, LinuxMachine] = {}

    def machine(meta: str) -> LinuxMachine:
        if meta not in made:
            made[meta] = quick(linux_machine(build_initrd(quiet, meta=meta), quiet, meta), quiet, meta)
        return made[meta]

    return machine


@pytest.fixture(scope="module")
def boot_linux(linux_on_the_board: Callable[[str], LinuxMachine], linux_package: str, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Start it; `fields` are those of LinuxMachine, `files` are added to its initrd, `meta` is the package of another Linux, `kind` another emulator's machine."""

    @contextmanager
    def boot(
        files: dict[str, Path] | None = None, meta: str = linux_package, kind: type[LinuxMachine] = LinuxMachine, **fields: Any
    ) -> Iterator[Host]:
        stem = Path(request.node.name).stem
        stock = linux_on_the_board(meta)
        if files:
            fields["initrd"] = build_initrd(quiet, files, stem, meta)
        machine = kind(**(vars(stock) | fields))
        RELEASES[meta] = machine.release
        logs = logs_of(request.node) / ("" if meta == kernel.META else machine.release)
        with turn(machine.icount or beside(request.node)), machine.board(logs) as board:
            host = Host(board, machine.PATIENCE)
            assert host.ok("uname -r").strip() == machine.release
            yield host

    return boot
