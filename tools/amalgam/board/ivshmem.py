# SPDX-License-Identifier: MIT
"""The server of ivshmem (QEMU, docs/specs/ivshmem-spec.rst): gives each emulator the shared memory and everybody's doorbells.

A message is a number of 8 bytes and perhaps a file: the protocol's version, the receiver's own number, -1 with the memory, and each
peer's number with its doorbell. Each one has a socket and a doorbell of its own, which it keeps when it comes again, so all is said at once.
The others' doorbells come before the memory: for that the emulator waits before its machine starts, and a ring that it knows no doorbell for
is lost.

The specification has another message, for a peer that has gone. It is never sent: QEMU 7.2 frees what it knows of that peer then, and writes
there when the same number comes again (hw/misc/ivshmem.c, process_msg_disconnect()). A ring for a peer that has gone waits for its next life.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from pathlib import Path

VERSION, MEMORY = 0, -1
MESSAGE = struct.Struct("<q")


class Peer:
    """One emulator's place."""

    def __init__(self, path: Path):
        self.path = path
        self.bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)


class Server:
    """Runs from the start to close(). One vector a peer."""

    def __init__(self, folder: Path, peers: int, size: int):
        self.memory = os.memfd_create("amalgam-shared")  # no name in any file system: nothing is left, however we end
        os.ftruncate(self.memory, size)
        self.peers = [Peer(folder / f"ivshmem{i}") for i in range(peers)]
        self._threads = [threading.Thread(target=self._serve, args=(i,), daemon=True) for i in range(peers)]
        for thread in self._threads:
            thread.start()

    def _serve(self, number: int) -> None:
        """One emulator of this number after the other."""
        while True:
            try:
                connection, _ = self.peers[number].listener.accept()
            except OSError:
                return  # closed
            with connection, contextlib.suppress(OSError):  # it has gone
                self._introduce(number, connection)
                while connection.recv(64):  # a peer says nothing; when it has gone, this ends
                    pass

    def _introduce(self, number: int, connection: socket.socket) -> None:
        others = [(i, peer.bell) for i, peer in enumerate(self.peers) if i != number]
        for value, file in [(VERSION, None), (number, None), *others, (MEMORY, self.memory), (number, self.peers[number].bell)]:
            socket.send_fds(connection, [MESSAGE.pack(value)], [] if file is None else [file])

    def close(self) -> None:
        """All peers have gone."""
        for peer in self.peers:
            peer.listener.shutdown(socket.SHUT_RDWR)  # accept() ends
            peer.listener.close()
        for thread in self._threads:
            thread.join(5)
        for peer in self.peers:
            os.close(peer.bell)
            peer.path.unlink(missing_ok=True)
        os.close(self.memory)
