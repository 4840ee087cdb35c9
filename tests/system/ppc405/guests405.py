# SPDX-License-Identifier: MIT
"""Our own 405 guests, on the bare board and under the kernel, as tests want them: start, listen, compare."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from amalgam import artifacts, paths
from amalgam.board.fleet import FleetBoard, fleet_for
from amalgam.kernel import build_kernel
from amalgam.system.partition.compile import compile_system


def guest_elf(name: str) -> Path:
    """build/guests/ppc405/NAME.elf, up to date."""
    artifacts.make_guests(lambda _text: None, "ppc405")
    return artifacts.guests_folder("ppc405") / f"{name}.elf"


def native(name: str, arguments: str = "", timeout: float = 60, extra: tuple[str, ...] = ()) -> str:
    """What a guest prints on the bare board, to its end."""
    command = ["qemu-system-ppc", "-M", "ref405ep", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command += ["-no-reboot", "-kernel", str(guest_elf(name)), "-append", arguments, *extra]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout, errors="replace", check=True)
    return done.stdout.replace("\r", "")


@contextmanager
def running(system: dict[str, Any], folder: Path, icount: bool = False) -> Iterator[FleetBoard]:
    """A system on the board."""
    build_kernel("ppc405", lambda _text: None)
    path = folder / f"{system['system']}.yaml"
    path.write_text(yaml.safe_dump({"board": "ref405ep"} | system, sort_keys=False), encoding="utf-8")
    compiled, image = compile_system(path, lambda _text: None)
    fleet = fleet_for(compiled, image)
    fleet.icount = icount
    with FleetBoard(fleet, keep=paths.BUILD / "test-logs" / "ppc405" / system["system"]) as board:
        yield board


def domain(name: str, arguments: str = "", **more: Any) -> dict[str, Any]:
    return {"kernel": f"build:{name}.elf", "memory": "16M"} | ({"cmdline": arguments} if arguments else {}) | more


def said(board: FleetBoard, name: str, pattern: str, timeout: float = 60) -> re.Match[str]:
    """What a guest said once, however long ago."""
    console = board[name]
    console.seek(0)
    return console.expect(pattern, timeout)
