# SPDX-License-Identifier: MIT
"""`scc boot`: a board whose memory was loaded from merged images, and which boots some of its cores.

`scc reset` of another terminal asks by a socket in the images' folder. One thread serves it and the lines that are typed, so that the
control console has one command at a time.
"""

from __future__ import annotations

import os
import select
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import yaml

from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.dead import Memory
from amalgam.board.monitor import command
from amalgam.board.scc import BOARD_MEMORY, SccMachine, own_memory
from amalgam.board.speakers import Speakers
from amalgam.errors import UserError
from amalgam.scc.images import Images, cores_from
from amalgam.scc.reset import reset
from amalgam.ui import say

COUNTED_KHZ = 1_000_000  # an emulator that counts instructions: one a nanosecond
SOCKET = "board.sock"
MOST = 4096  # bytes of a request


class Running(Protocol):
    """A board that was booted, and whose cores can be reset."""

    @property
    def board(self) -> Speakers:
        """Core 0's console is `kernel`."""

    def reset(self, cores: Sequence[int]) -> None:
        """Start these cores anew; returns when their kernels are up. UserError: they cannot be, or do not come up."""


@dataclass
class Booted:
    """A board that runs, and what a reset of its cores takes."""

    board: Board
    images: Images
    memory: int
    chosen: Sequence[int]
    khz: int
    lives: dict[int, int]  # by core: how often its memory was loaded

    def reset(self, cores: Sequence[int], timeout: float = 60) -> None:
        """Start these cores anew; returns when their kernels are up."""
        reset(self.board, self.memory, self.images, cores, self.chosen, self.khz, self.lives, timeout)


@contextmanager
def booted(images: Images, chosen: Sequence[int], icount: bool = False, logs: Path | None = None) -> Iterator[Booted]:
    """The board runs meanwhile. Its ROM and memory are what the images say."""
    own = yaml.safe_load((paths.BOARDS / "scc.yaml").read_text(encoding="utf-8"))
    khz = COUNTED_KHZ if icount else 0
    with Memory(BOARD_MEMORY) as memory:
        machine = SccMachine(
            own["machine"], own["cpu"], program=own["emulator"], chosen=chosen, icount=icount, ram=memory.file, loaded=True
        )
        machine.serial_ports = own["serial_ports"]
        machine.start_up = Path(machine.folder.name) / "reset.bin"
        machine.start_up.write_bytes(images.start_up)
        for core in chosen:
            images.load(memory.file, core, chosen, khz, own_memory(core), 1)
        with Board(machine, images.domains, keep=logs) as board:
            yield Booted(board, images, memory.file, chosen, khz, dict.fromkeys(chosen, 1))


@contextmanager
def listening(folder: Path) -> Iterator[socket.socket]:
    """The socket in the folder, which is short by way of a descriptor, and gone in the end."""
    path = folder / SOCKET
    at = os.open(folder, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            try:
                listener.connect(f"/proc/self/fd/{at}/{SOCKET}")
            except OSError:
                path.unlink(missing_ok=True)  # of a board that was killed
            else:
                raise UserError(f"a board runs from {paths.shown(folder)} already", "leave it, or merge into another folder")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{at}/{SOCKET}")
            listener.listen()
            try:
                yield listener
            finally:
                path.unlink(missing_ok=True)
    finally:
        os.close(at)


def serve(running: Running, listener: socket.socket | None) -> int:
    """Execute typed lines, and requests of `scc reset` if there is a socket for them, until the end of input or of the board."""
    say("`help` lists the commands, `reset LIST` starts cores anew; Ctrl-D leaves")
    typed = b""
    while not running.board.ended():
        ready, _, _ = select.select([sys.stdin.fileno(), *([listener] if listener else [])], [], [], 0.5)
        if listener and listener in ready:
            answer_request(running, listener.accept()[0])
        if sys.stdin.fileno() in ready:
            data = os.read(sys.stdin.fileno(), MOST)
            *lines, typed = (typed + data).split(b"\n")
            for line in lines:
                print(executed(running, line.decode(errors="replace").strip()), end="", flush=True)
            if not data:
                return 0
    return 0


def executed(running: Running, line: str) -> str:
    """The answer to a line, or the error, which goes to the person."""
    try:
        if line.startswith("reset "):
            running.reset(cores_from(line.removeprefix("reset ").strip()))
            return ""
        return command(running.board, line) if line else ""
    except UserError as error:
        say(error.what)
        return ""


def answer_request(running: Running, peer: socket.socket) -> None:
    """One line, the list of cores; the answer is a line, `ok` or what is wrong."""
    with peer:
        peer.settimeout(5)
        try:
            answer = "ok"
            asked = peer.makefile("rb").readline(MOST).decode(errors="replace").strip()
            try:
                running.reset(cores_from(asked))
            except UserError as error:
                answer = error.what.replace("\n", " ")
            peer.sendall(f"{answer}\n".encode())
        except OSError as error:
            say(f"a request to reset cores broke off: {error}")


def request(folder: Path, cores: str, timeout: float) -> str:
    """Ask the board of a folder to reset cores. Returns its answer."""
    at = os.open(folder, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(timeout)
            peer.connect(f"/proc/self/fd/{at}/{SOCKET}")
            peer.sendall(f"{cores}\n".encode())
            return peer.makefile("rb").readline().decode(errors="replace").strip()
    except OSError as error:
        raise UserError(f"no board of {paths.shown(folder)} answers: {error}", "start it: ./amalgam scc boot DIR") from error
    finally:
        os.close(at)
