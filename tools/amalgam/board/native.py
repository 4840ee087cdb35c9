# SPDX-License-Identifier: MIT
"""A guest of the ppc405 shape on the bare board, without us below it: what its virtual life is compared with."""

from __future__ import annotations

import contextlib
import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Self

from amalgam import proc
from amalgam.board.console import SCALE, Console, ConsoleError
from amalgam.board.lifetime import end, spawn
from amalgam.board.line import Line
from amalgam.system.partition.model import Partition

PROGRAM, PACKAGE = "qemu-system-ppc", "qemu-system-ppc"
SRAM = 0xFFF00000


def load_word(register: int, value: int) -> bytes:
    """lis and ori: the register gets the value."""
    return struct.pack(">II", 0x3C000000 | register << 21 | value >> 16, 0x60000000 | register << 21 | register << 16 | value & 0xFFFF)


def starter(domain: Partition) -> bytes:
    """An ELF file for the SRAM that sets r3 to r7 and jumps to the guest's entry, as our kernel enters it."""
    code = load_word(0, domain.start) + struct.pack(">I", 0x7C0903A6)  # mtctr r0
    code += b"".join(load_word(3 + i, value) for i, value in enumerate(domain.gpr))
    code += struct.pack(">II", 0x38000000, 0x4E800420)  # li r0,0; bctr
    header = b"\x7fELF\x01\x02\x01" + bytes(9) + struct.pack(">HHIIIIIHHHHHH", 2, 20, 1, SRAM, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack(">IIIIIIII", 1, 84, SRAM, SRAM, len(code), len(code), 5, 4)
    return header + segment + code


class NativeBoard:
    """The guest's console is `console`; gone after `with`."""

    def __init__(self, domain: Partition, memory: int, extra: list[str] | None = None):
        self._domain, self._memory, self._extra = domain, memory, extra or []
        self._folder = tempfile.TemporaryDirectory(prefix="amalgam-")
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None
        self._closed = threading.Event()
        self.console = Console(domain.name, self._write, self.ended)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # a board that just ended: expect() will say so
            if self._line:
                self._line.send(data)

    def __enter__(self) -> Self:
        self._line = Line(Path(self._folder.name), "uart")
        words = [*command(self._domain, self._memory, Path(self._folder.name)), *self._extra]
        words += [*self._line.chardev("uart"), "-serial", "chardev:uart"]
        self._process = spawn(words, stdin=subprocess.DEVNULL, start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._process:
            end(self._process)
        self._closed.wait(5)
        if self._line:
            self._line.close()
        self._folder.cleanup()

    def _read(self) -> None:
        assert self._line and self._process
        with contextlib.suppress(OSError):
            for data in self._line.pieces(self._process):
                self.console.receive(data)
        self._closed.set()
        self.console.receive(b"")

    def ended(self) -> str:
        """Empty while it runs, or has said things that are not read yet."""
        if not self._process or not self._closed.is_set():
            return "" if self._process else "the board was never started"
        status = self._process.poll()
        return "" if status is None else f"the board has ended (status {status})"

    def wait(self, timeout: float = 60) -> None:
        """Wait until the board has ended by itself (the guest has reset it)."""
        if not self._closed.wait(timeout * SCALE):
            raise ConsoleError(f"the board still runs after {timeout * SCALE:.0f} s. It said last:\n{self.console.tail()}")


def command(domain: Partition, memory: int, work: Path) -> list[str]:
    """The board with the domain's images where the domain has them; everything but the serial port."""
    stub = work / "starter.elf"
    stub.write_bytes(starter(domain))
    words = [proc.need(PROGRAM, PACKAGE), "-M", "ref405ep", "-m", f"{memory >> 20}M", "-nodefaults", "-display", "none"]
    words += ["-monitor", "none", "-no-reboot", "-kernel", str(stub)]
    for index, segment in enumerate(domain.segments):
        path = work / f"segment-{index}.bin"
        path.write_bytes(segment.data)
        words += ["-device", f"loader,file={path},addr={segment.gpa:#x},force-raw=on"]
    return words
