# SPDX-License-Identifier: MIT
"""A board of several emulators, each with one tagged serial line; used like Board. A speaker's console is one, whichever emulator it is heard on.

What the kernel (or the firmware) says is `kernel`, in whole lines of all nodes.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from amalgam.board.console import SCALE, Console, ConsoleError
from amalgam.board.lifetime import end, spawn
from amalgam.board.line import Line
from amalgam.board.speakers import Speakers
from amalgam.board.tagged import KERNEL, Splitter


class Node:
    """One process: its line, and what was heard on it."""

    def __init__(self, number: int, log: Path):
        self.number = number
        self.errors = log
        self.process: subprocess.Popen[bytes] | None = None
        self.line: Line | None = None
        self.reader: threading.Thread | None = None
        self.closed = threading.Event()
        self.starts = 0
        self.half_line = b""  # of the kernel: lines of different nodes are not mixed


class NodesBoard(Speakers):
    """Starts at `with`, is gone after it. `what` names a node: core, cluster. With the end of a `powerful` node all end, and its status
    is the board's; without any, the board ends with its last node."""

    def __init__(self, names: Sequence[str], nodes: Iterable[int], what: str, keep: Path | None, powerful: Sequence[int] = ()):
        super().__init__(names)
        self.what = what
        self.powerful = powerful
        self._keep = keep
        self._folder = tempfile.TemporaryDirectory(prefix="amalgam-")
        self.folder = Path(self._folder.name)
        self.nodes = {i: Node(i, self.folder / f"{what}{i}.stderr") for i in nodes}
        self._hearing = threading.Lock()  # a speaker may be heard on two nodes
        self._node_consoles = {i: Console(f"{what}{i}", self._refuse, self.ended) for i in self.nodes}

    @abstractmethod
    def prepare(self) -> None:
        """Make what the nodes share, before the first one starts."""

    @abstractmethod
    def command(self, node: Node, serial: list[str]) -> tuple[list[str], list[int]]:
        """The process of a node, with the words of its first serial port; and the files that it inherits."""

    @abstractmethod
    def node_of(self, source: int) -> Node:
        """Where a speaker listens."""

    @abstractmethod
    def release(self) -> None:
        """Give back what prepare() made; all nodes have ended."""

    def _refuse(self, _data: bytes) -> None:
        raise ConsoleError("the kernel of this board takes no commands")

    def line_of(self, source: int) -> Line | None:
        return self.node_of(source).line

    def _writer(self, source: int) -> Callable[[bytes], None]:
        return self._refuse if source == KERNEL else super()._writer(source)

    def node(self, number: int) -> Console:
        """What the kernel says on one node."""
        return self._node_consoles[number]

    def __enter__(self) -> Self:
        try:
            self.prepare()
            for node in self.nodes.values():
                self.start(node)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def start(self, node: Node) -> None:
        """Start a node's process; its serial line is the first one."""
        node.line = Line(self.folder, f"{self.what}{node.number}-{node.starts}")
        node.starts += 1
        words, files = self.command(node, [*node.line.chardev("uart"), "-serial", "chardev:uart"])
        with node.errors.open("ab") as errors:
            node.process = spawn(
                words,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                pass_fds=files,
                start_new_session=True,
            )
        node.reader = threading.Thread(target=self._read, args=(node,), daemon=True)
        node.reader.start()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            for node in self.nodes.values():
                if node.process and node.process.poll() is None:
                    node.process.kill()  # all of them at once: a node that is left alone reports the others' silence
            for node in self.nodes.values():
                self.clear(node)
        finally:
            self.save()
            self.release()
            self._folder.cleanup()

    def clear(self, node: Node) -> None:
        """End a node and hear the rest of what it said."""
        if node.process:
            end(node.process)
        if node.reader:
            node.reader.join(5)
        if node.line:
            node.line.close()
            node.line = None

    def _read(self, node: Node) -> None:
        splitter = Splitter(KERNEL)
        assert node.line and node.process
        with contextlib.suppress(OSError):
            for data in node.line.pieces(node.process):
                for source, run in splitter.feed(data):
                    if source == KERNEL:
                        self._hear_kernel(node, run)
                    elif source in self.consoles:
                        with self._hearing:
                            self.consoles[source].receive(run)
        node.closed.set()
        if node.number in self.powerful:
            for number in self.alive():
                if number != node.number:  # it has closed its line, and ends by itself
                    self.kill(number)
        for console in self.consoles.values():
            console.receive(b"")

    def _hear_kernel(self, node: Node, run: bytes) -> None:
        self._node_consoles[node.number].receive(run)
        *lines, node.half_line = (node.half_line + run).split(b"\n")
        if lines:
            with self._hearing:
                self.kernel.receive(b"".join(line + b"\n" for line in lines))

    def save(self) -> None:
        """Leave the logs as they are by now."""
        if not self._keep:
            return
        self._keep.mkdir(parents=True, exist_ok=True)
        for console in [*self.consoles.values(), *self._node_consoles.values()]:
            (self._keep / f"{console.name}.log").write_text(console.text, encoding="utf-8")
        for node in self.nodes.values():
            if node.errors.exists():
                (self._keep / node.errors.name).write_bytes(node.errors.read_bytes())

    def kill(self, number: int) -> None:
        """End one node's process as a broken node ends: in the middle of whatever it does."""
        process = self.nodes[number].process
        assert process
        process.kill()
        process.wait()

    def alive(self) -> list[int]:
        """The nodes whose process runs."""
        return [node.number for node in self.nodes.values() if node.process and node.process.poll() is None]

    def ended(self) -> str:
        """Empty while a node runs (or has said things that are not read yet), else how the board ended."""
        if not all(node.process for node in self.nodes.values()):
            return "the board was never started"
        if self.alive() or not all(node.closed.is_set() for node in self.nodes.values()):
            return ""
        how, said = [], []
        for node in self.nodes.values():
            status = node.process.poll() if node.process else None
            how.append(
                f"{self.what} {node.number}: " + (f"signal {signal.Signals(-status).name}" if status and status < 0 else f"status {status}")
            )
            said.append(node.errors.read_text(errors="replace").strip() if node.errors.exists() else "")
        text = "\n".join(filter(None, said))[-600:]
        return f"the board has ended ({', '.join(how)})" + (f": {text}" if text else "")

    def wait(self, timeout: float = 60) -> int:
        """Wait until all nodes have ended by themselves; the first status that is not 0."""
        deadline = time.monotonic() + timeout * SCALE
        while not self.ended():
            if time.monotonic() > deadline:
                raise ConsoleError(
                    f"{self.what} {self.alive()} still run after {timeout * SCALE:.0f} s. The kernel said last:\n{self.kernel.tail()}"
                )
            time.sleep(0.02)
        judged = [self.nodes[number] for number in self.powerful] or [*self.nodes.values()]
        return next((node.process.returncode for node in judged if node.process and node.process.returncode), 0)
