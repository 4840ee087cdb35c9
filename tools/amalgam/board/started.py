# SPDX-License-Identifier: MIT
"""A machine as `run` knows it, whatever board it is: what each kind does in its own way is a method, and what it does not take is a row."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from amalgam.errors import UserError
from amalgam.ui import Progress

if TYPE_CHECKING:
    from amalgam.board.speakers import Speakers


class Refusal(NamedTuple):
    """Words of `run` that a kind of machine does not take."""

    options: tuple[str, ...]
    what: str
    step: str = "leave it out"


NOT_Q35 = Refusal(("iso", "cpu", "network"), "--iso, --cpu and --network do not go with this board", "leave them out")
NO_CORE = Refusal(("core",), "--core goes with systems that have processes on a board of one machine")


class Started(ABC):
    """What every kind has."""

    icount: bool  # its clock counts instructions
    gdb: bool  # it waits for a debugger
    extra: list[str]  # more words for its emulator

    REFUSES: ClassVar[tuple[Refusal, ...]] = ()
    PATIENCE: ClassVar[float] = 300  # seconds for a guest's shell, and each command there
    GDB_NOTE = ""  # what a person has to know beside the lines of debuggers()

    @classmethod
    @abstractmethod
    def of(cls, system: Any, image: Path) -> Started:
        """The machine that a system asks for."""

    @abstractmethod
    def debuggers(self) -> list[tuple[str, str]]:
        """Who waits for one on a port of its own, and the line for it; one without a name is the whole board."""

    @abstractmethod
    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Speakers:
        """The board, to be started by `with`; `domains` are the names of its consoles, `keep` is where its logs go."""

    @abstractmethod
    def interactive(self, system: Any, logs: Path | None) -> int:
        """Run it on a person's terminal, to its end or Ctrl-A x. Returns the status of `run`; UserError: a domain with whose end it went off
        did not end well."""

    def refuse(self, system: Any, args: argparse.Namespace) -> None:
        """UserError: a word that means nothing here."""
        for refusal in self.REFUSES:
            if any(getattr(args, option) for option in refusal.options):
                raise UserError(refusal.what, refusal.step, 2)

    def take(self, args: argparse.Namespace, progress: Progress) -> None:
        """The words that every kind takes."""
        self.icount, self.gdb = args.icount, args.gdb
