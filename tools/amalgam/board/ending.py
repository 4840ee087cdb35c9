# SPDX-License-Identifier: MIT
"""How a run on the pc board ended, by what the kernel said of the domains with whose end the board goes off."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from amalgam.board.line import Line
from amalgam.board.tagged import KERNEL, Splitter
from amalgam.errors import UserError

if TYPE_CHECKING:
    from amalgam.board.fleet import FleetBoard

UNSTARTED, DIED = 1, 3  # exit status of `run`; docs/guests.md
DEATHS = ("triple fault", "watchdog", "fault")  # domain_end_name() in kernel/core/domain.c
END = re.compile(r"^domain (\S+): (power-off|reset|triple fault|watchdog|stopped|fault|done|could not start)(?:: ([^\r\n]*))?\r*$", re.M)
KEPT = 1 << 16  # bytes of the kernel's last words: its lines about the ends of all domains, and what a fault prints before


def last_ends(said: str) -> dict[str, tuple[str, str]]:
    """Of each domain that ended: how its last life did, and the reason."""
    return {name: (how, why or "") for name, how, why in END.findall(said)}


def failure(said: str, names: Iterable[str]) -> UserError | None:
    """What the end of the first of these domains that did not end well has to be reported as."""
    ends = last_ends(said)
    for name in names:
        how, why = ends.get(name, ("", ""))
        what = f"{how}: {why}" if why else how
        if how == "could not start":
            return UserError(f"'{name}' {what}", "docs/guests.md says what each kind of image needs", UNSTARTED)
        if (status := re.fullmatch(r"exit status (-?\d+)", why)) and int(status[1]):
            return UserError(f"'{name}' ended with {why}", "its console says more", int(status[1]) & 0xFF or DIED)
        if how in DEATHS:
            return UserError(f"'{name}' died ({what})", "what the kernel said before tells where; docs/debugging.md", DIED)
    return None


def went_off(said: str) -> bool:
    """The kernel ended the run: nobody closed the board from outside."""
    return re.search(r"^power off\r*$", said, re.M) is not None


def powerful(system: Any) -> list[str]:
    """The domains with whose end the board's run ends."""
    return [d.name for d in system.domains if type(d.flags)["POWER_BOARD"] in d.flags]


def raise_failure(system: Any, said: str) -> None:
    """Of the run that the kernel, which said this, has ended: not all ended well."""
    error = failure(said, powerful(system))
    if error and went_off(said):
        raise error


def fleet_failure(board: FleetBoard, names: Iterable[str]) -> UserError | None:
    """The same of a board of the ppc405 shape, by its guests' event logs in the memory: which last event stopped each."""
    from amalgam.board.memory import Memory

    if not re.search(r": fault ", board.kernel.text):
        return None  # the kernel reports each; reading its layout takes seconds
    memory = Memory(board)
    for name in names:
        last = memory.events(name)[-1:]
        if last and (last[0].event, last[0].action) == ("fault", "stop"):
            return UserError(
                f"'{name}' died (fault: code {last[0].code:#x}, {last[0].value:#x})", "docs/windows.md, docs/debugging.md", DIED
            )
    return None


class KernelLog:
    """The kernel's side of the tagged channel of a board whose human port is a person's: `with` it, start the board, then follow()."""

    def __init__(self, folder: Path):
        self._line = Line(folder, "com2")
        self._said = bytearray()
        self._reader: threading.Thread | None = None

    def words(self) -> list[str]:
        """For QEMU, behind the first serial port."""
        return [*self._line.chardev("com2"), "-serial", "chardev:com2"]

    def follow(self, process: subprocess.Popen[bytes]) -> None:
        self._reader = threading.Thread(target=self._read, args=(process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        splitter = Splitter()
        for data in self._line.pieces(process):
            for source, run in splitter.feed(data):
                if source == KERNEL:
                    self._said += run
                    del self._said[:-KEPT]

    def said(self) -> str:
        """After the process has ended: the kernel's last words."""
        if self._reader:
            self._reader.join(5)
        return self._said.decode(errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self._reader:
            self._reader.join(5)
        self._line.close()
