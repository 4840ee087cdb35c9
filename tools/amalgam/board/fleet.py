# SPDX-License-Identifier: MIT
"""The ppc405 board: one emulator process a core, all over one RAM file; used like Board.

Each core's UART carries the consoles of the guests that it runs, tagged with their numbers; here they become one
console a guest again, wherever it ran. What the kernel says is `kernel`; what it says on one core is `core(i)`.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from amalgam import artifacts, paths
from amalgam.board.console import SCALE, Console, ConsoleError
from amalgam.board.lifetime import end, spawn
from amalgam.board.line import Line
from amalgam.board.tagged import KERNEL, Splitter, framed
from amalgam.system.partition import model, table
from amalgam.system.partition.model import PartitionSystem

CORE_NUMBER = 0xFFF70000  # in the SRAM, 8 bytes: the emulator's loader takes up to 8, the kernel reads the second word
GDB_PORT = 1234


@dataclass
class Fleet:
    """What to start."""

    machine: str
    cores: int
    memory: int
    image: Path
    names: list[str]
    masks: list[int]  # by guest: the cores that may run it
    kernel: Path = field(default_factory=lambda: paths.kernel_elf("ppc405"))
    icount: bool = False  # one instruction = one nanosecond, every core for itself
    shift: int = 0  # with icount: one instruction = 2^shift nanoseconds
    gdb: bool = False  # core N waits for a debugger on port gdb_port + N
    gdb_port: int = GDB_PORT
    tagged: bool = True
    extra: list[str] = field(default_factory=list)

    def command(self, core: int, ram: int) -> list[str]:
        """The process of one core; everything but the serial port. `ram`: descriptor of the memory."""
        words = [*artifacts.ppc405_emulator(), "-M", f"{self.machine},memory-backend=ram", "-nodefaults", "-no-user-config"]
        words += ["-object", f"memory-backend-file,id=ram,share=on,mem-path=/proc/self/fd/{ram},size={self.memory}"]
        words += ["-display", "none", "-monitor", "none", "-no-reboot", "-kernel", str(self.kernel)]
        words += ["-device", f"loader,addr={CORE_NUMBER:#x},data={core},data-len=8,data-be=on"]
        if self.icount:
            words += ["-icount", f"shift={self.shift},sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        if self.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{self.gdb_port + core}", "-S"]
        return words + self.extra


def fleet_for(system: PartitionSystem, image: Path) -> Fleet:
    """The board that a system asks for."""
    assert system.board
    masks = [sum(1 << core for core, _ in d.cores) for d in system.domains]
    return Fleet(system.board.machine, system.cores, system.memory, image, [d.name for d in system.domains], masks)


class Ring:
    """The cores' second serial ports: what one sends, the next one receives, without us in between."""

    def __init__(self, folder: Path, cores: int):
        self._folder = folder
        for core in range(cores if cores > 1 else 0):
            os.mkfifo(folder / f"link{core}", 0o600)
            (folder / f"ring{core}.in").symlink_to(f"link{core}")
            (folder / f"ring{core}.out").symlink_to(f"link{(core + 1) % cores}")

    def port(self, core: int) -> list[str]:
        """Words for the emulator of one core: its serial port number 1."""
        path = self._folder / f"ring{core}"
        return ["-chardev", f"pipe,id=ring,path={path}", "-serial", "chardev:ring"] if path.with_suffix(".in").exists() else []


class Core:
    """One running process: its line, and what was heard on it."""

    def __init__(self, number: int, log: Path):
        self.number = number
        self.errors = log
        self.process: subprocess.Popen[bytes] | None = None
        self.line: Line | None = None
        self.reader: threading.Thread | None = None
        self.closed = threading.Event()
        self.half_line = b""  # of the kernel: lines of different cores are not mixed


class FleetBoard:
    """Starts at `with`, is gone after it."""

    def __init__(self, fleet: Fleet, keep: Path | None = None):
        self.fleet = fleet
        self.names = fleet.names
        self._keep = keep
        self._folder = tempfile.TemporaryDirectory(prefix="amalgam-")
        self.cores = [Core(i, Path(self._folder.name) / f"core{i}.stderr") for i in range(fleet.cores)]
        self._ring = Ring(Path(self._folder.name), fleet.cores)
        self._lock = threading.Lock()
        self._hearing = threading.Lock()  # a guest may be heard on two cores
        self._ram_file = -1
        self.ram: mmap.mmap | None = None  # the board's memory, to look into
        self.consoles = {i: Console(name, self._writer(i), self.ended) for i, name in [*enumerate(fleet.names), (KERNEL, "kernel")]}
        self._core_consoles = [Console(f"core{i}", self._refuse, self.ended) for i in range(fleet.cores)]

    def _refuse(self, _data: bytes) -> None:
        raise ConsoleError("the kernel of this shape takes no commands")

    def _writer(self, source: int) -> Callable[[bytes], None]:
        if source == KERNEL:
            return self._refuse

        def write(data: bytes) -> None:
            mask = self.fleet.masks[source]
            core = next(c for c in self.cores if mask >> c.number & 1)
            if not core.line:
                raise ConsoleError("the board does not run")
            with self._lock, contextlib.suppress(OSError):  # a board that just ended: expect() will say so
                core.line.send(framed(source, data))

        return write

    @property
    def kernel(self) -> Console:
        """What the kernel says, whole lines of all cores."""
        return self.consoles[KERNEL]

    def core(self, number: int) -> Console:
        """What the kernel says on one core."""
        return self._core_consoles[number]

    def __getitem__(self, name: str) -> Console:
        return self.kernel if name == "kernel" else self.consoles[self.names.index(name)]

    def __enter__(self) -> Self:
        try:
            self._make_ram()
            for core in self.cores:
                self._start(core)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _make_ram(self) -> None:
        """The shared memory, empty but for the system's image."""
        self._ram_file = os.memfd_create("amalgam-ram")  # no name in any file system: nothing is left, however we end
        os.ftruncate(self._ram_file, self.fleet.memory)
        self.ram = mmap.mmap(self._ram_file, self.fleet.memory)
        image = table.with_console(self.fleet.image.read_bytes(), self.fleet.tagged)
        self.ram[model.TABLE_ADDRESS : model.TABLE_ADDRESS + len(image)] = image

    def _start(self, core: Core) -> None:
        core.line = Line(Path(self._folder.name), f"core{core.number}")
        with core.errors.open("wb") as errors:
            words = [
                *self.fleet.command(core.number, self._ram_file),
                *core.line.chardev("uart"),
                "-serial",
                "chardev:uart",
                *self._ring.port(core.number),
            ]
            core.process = spawn(
                words,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                pass_fds=[self._ram_file],
                start_new_session=True,
            )
        core.reader = threading.Thread(target=self._read, args=(core,), daemon=True)
        core.reader.start()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            for core in self.cores:
                if core.process and core.process.poll() is None:
                    core.process.kill()  # all of them at once: a core that is left alone reports the others' silence
            for core in self.cores:
                if core.process:
                    end(core.process)
                if core.reader:
                    core.reader.join(5)
                if core.line:
                    core.line.close()
        finally:
            self._save()
            if self.ram:
                self.ram.close()
            if self._ram_file >= 0:
                os.close(self._ram_file)
            self._folder.cleanup()

    def _read(self, core: Core) -> None:
        splitter = Splitter(KERNEL)
        assert core.line and core.process
        with contextlib.suppress(OSError):
            for data in core.line.pieces(core.process):
                for source, run in splitter.feed(data):
                    if source == KERNEL:
                        self._hear_kernel(core, run)
                    elif source in self.consoles:
                        with self._hearing:
                            self.consoles[source].receive(run)
        core.closed.set()
        for console in self.consoles.values():
            console.receive(b"")

    def _hear_kernel(self, core: Core, run: bytes) -> None:
        self._core_consoles[core.number].receive(run)
        *lines, core.half_line = (core.half_line + run).split(b"\n")
        if lines:
            with self._hearing:
                self.kernel.receive(b"".join(line + b"\n" for line in lines))

    def _save(self) -> None:
        if not self._keep:
            return
        self._keep.mkdir(parents=True, exist_ok=True)
        for console in [*self.consoles.values(), *self._core_consoles]:
            (self._keep / f"{console.name}.log").write_text(console.text, encoding="utf-8")
        for core in self.cores:
            if core.errors.exists():
                (self._keep / core.errors.name).write_bytes(core.errors.read_bytes())

    def kill_core(self, number: int) -> None:
        """End one core's process as a broken core ends: in the middle of whatever it does."""
        process = self.cores[number].process
        assert process
        process.kill()
        process.wait()

    def alive(self) -> list[int]:
        """The cores whose process runs."""
        return [core.number for core in self.cores if core.process and core.process.poll() is None]

    def ended(self) -> str:
        """Empty while a core runs (or has said things that are not read yet), else how the board ended."""
        if not all(core.process for core in self.cores):
            return "the board was never started"
        if self.alive() or not all(core.closed.is_set() for core in self.cores):
            return ""
        how, said = [], []
        for core in self.cores:
            status = core.process.poll() if core.process else None
            how.append(
                f"core {core.number}: " + (f"signal {signal.Signals(-status).name}" if status and status < 0 else f"status {status}")
            )
            said.append(core.errors.read_text(errors="replace").strip() if core.errors.exists() else "")
        text = "\n".join(filter(None, said))[-600:]
        return f"the board has ended ({', '.join(how)})" + (f": {text}" if text else "")

    def wait(self, timeout: float = 60) -> int:
        """Wait until all cores have ended by themselves; the first status that is not 0."""
        deadline = time.monotonic() + timeout * SCALE
        while not self.ended():
            if time.monotonic() > deadline:
                raise ConsoleError(
                    f"cores {self.alive()} still run after {timeout * SCALE:.0f} s. The kernel said last:\n{self.kernel.tail()}"
                )
            time.sleep(0.02)
        return next((core.process.returncode for core in self.cores if core.process and core.process.returncode), 0)
