# SPDX-License-Identifier: MIT
"""The PC boards on Bochs instead of QEMU, from the CD image: a second opinion (docs/testing.md).

Bochs interprets all processors in one thread, an instruction of each in turns, and a tick of its clock is an instruction of one.
"""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from amalgam import artifacts
from amalgam.board.board import Board
from amalgam.board.console import SCALE
from amalgam.board.ending import raise_failure, went_off
from amalgam.board.line import POLL_MS, Line
from amalgam.board.machine import Machine
from amalgam.board.scc import SccMachine
from amalgam.board.started import Refusal
from amalgam.build.iso import make_iso
from amalgam.errors import UserError
from amalgam.system.model import System
from amalgam.system.units import MIB

MODELS = {"EPYC,+svm": "ryzen", "pentium,mmx=off": "pentium"}  # of a board's `cpu`; any other word is a model of Bochs
WITHOUT_VM_CR = ("ryzen", "zambezi", "trinity_apu", "phenom_8650_toliman", "turion64_tyler")  # have AMD-V, but not this MSR
MOST_CORES = 8  # it has no more timers

# Without a second drive its BIOS waits for one: a third of a second of the board's time, which the fast clock makes two of the host's.
CONFIGURATION = """config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file={made}/bios, options=fastboot
vgaromimage: file={made}/vgabios
cpu: model={model}, count={cores}, ips={ips}, reset_on_triple_fault=0, ignore_bad_msrs={ignore}
memory: guest={memory}, host={memory}
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path={iso}, status=inserted
ata0-slave: type=cdrom, path=none, status=ejected
boot: cdrom
clock: sync=none, time0=1700000000
com1: enabled=1, mode=file, dev={folder}/com1.log
com2: enabled=1, mode=socket-client, dev=127.0.0.1:{port}
log: {folder}/bochs.log
panic: action=fatal
error: action={errors}
info: action=ignore
debug: action=ignore
speaker: enabled=0
"""


class SocketLine(Line):
    """A serial line as a socket, to which the emulator connects: Bochs writes to a pipe, but does not read one."""

    def __init__(self, folder: Path, name: str):
        self.path = folder / name
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._peer: socket.socket | None = None
        self._connected = threading.Event()

    def send(self, data: bytes) -> None:
        self._connected.wait()
        super().send(data)

    def pieces(self, process: subprocess.Popen[bytes], silent: Callable[[], None] | None = None) -> Iterator[bytes]:
        self._listener.settimeout(POLL_MS / 1000)
        while not self._peer and process.poll() is None:
            try:
                self._peer, _address = self._listener.accept()
            except TimeoutError:
                continue
        if self._peer:
            self._in = self._out = self._peer.fileno()
            self._connected.set()
            yield from super().pieces(process, silent)

    def close(self) -> None:
        self._listener.close()
        if self._peer:
            self._peer.close()


@dataclass
class BochsPc(Machine):
    """A PC whose `cpu` is a model of Bochs, or the one that is next to QEMU's."""

    ips: int = 50_000_000  # instructions in a second of its clock, which the TSC counts

    ERRORS = "report"  # in its log
    REFUSES = (Refusal(("icount", "core", "gdb"), "--icount, --core and --gdb go with boards of QEMU", "leave them out"),)

    def configuration(self, made: Path, iso: Path, folder: Path, port: int) -> str:
        """A bochsrc; the board's files go to `folder`. UserError: Bochs has no such machine."""
        if self.cores > MOST_CORES:
            raise UserError(f"Bochs has no machine with {self.cores} cores", f"it has timers for {MOST_CORES}")
        model = MODELS.get(self.cpu, self.cpu)
        words = vars(self) | {
            "made": made,
            "model": model,
            "ignore": int(model in WITHOUT_VM_CR),  # docs/boards.md
            "memory": self.memory // MIB,
            "iso": iso,
            "folder": folder,
            "port": port,
            "errors": "ignore" if model in WITHOUT_VM_CR else self.ERRORS,  # each exit of a guest is a line
        }
        return CONFIGURATION.format_map(words)

    def started(self, made: Path, iso: Path, folder: Path, port: int) -> list[str]:
        """The emulator's words, and the files that they name."""
        (folder / "bochsrc").write_text(self.configuration(made, iso, folder, port), encoding="utf-8")
        (folder / "script").write_text("c\n", encoding="ascii")  # Debian's build has the debugger, which waits for a word
        return [*artifacts.bochs_command(made), "-q", "-f", str(folder / "bochsrc"), "-rc", str(folder / "script")]

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        return BochsBoard(self, domains, keep)

    def interactive(self, system: System, logs: Path | None) -> int:
        """A run that the kernel has ended is right or not by what it said, whatever status Bochs makes of a power-off."""
        from amalgam.board import screen

        with self.board(system.speakers, logs) as board:
            status = screen.interactive(board, screen.focus_of(system))
            said = board.kernel.text
        raise_failure(system, said)
        return 0 if went_off(said) else status


@dataclass
class BochsIntel(BochsPc):
    """The board bochs-intel. Short timers of guests need a fast clock: with a slow one they take all of the time."""

    ips: int = 250_000_000

    PATIENCE = 1800
    ERRORS = "ignore"  # each exit of a guest is a line


@dataclass
class BochsScc(BochsPc, SccMachine):
    """The scc shape on a plain PC with Pentiums."""

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        self.cores = max(self.chosen) + 1
        return super().board(domains, keep)


class BochsBoard(Board):
    """The running board. Bochs itself may go on when the kernel has powered it off."""

    LINE = SocketLine

    def ended(self) -> str:
        return super().ended() or ("it was powered off" if went_off(self.kernel.text) else "")

    def wait(self, timeout: float = 60) -> int:
        deadline = time.monotonic() + timeout * SCALE
        while not self.ended():
            if time.monotonic() > deadline:
                raise self.still_runs(timeout)
            time.sleep(POLL_MS / 1000)
        if went_off(self.kernel.text):
            return 0
        status = super().wait(timeout)
        return 0 if went_off(self.kernel.text) else status

    def _words(self, channel: Line) -> list[str]:
        machine = self._machine
        assert isinstance(machine, BochsPc) and isinstance(channel, SocketLine) and machine.image
        made = artifacts.bochs_folder()
        iso = machine.iso or make_iso(machine.image.stem, machine.kernel, machine.image, lambda _text: None, lean=True)
        return machine.started(made, iso, channel.path.parent, channel.port)
