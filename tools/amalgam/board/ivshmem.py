# SPDX-License-Identifier: MIT
"""The server of ivshmem (QEMU, docs/specs/ivshmem-spec.rst): gives each emulator the shared memory and everybody's doorbells.

A message is a number of 8 bytes and perhaps a file: the protocol's version, the receiver's own number, -1 with the memory; then a
number with a doorbell for each that is there, and a number alone when one has gone. Each peer has a socket of its own, so it keeps its
number when it comes again.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from pathlib import Path

VERSION, MEMORY = 0, -1
MESSAGE = struct.Struct("<q")


class Peer:
    """One emulator's place; `connection` while there is one."""

    def __init__(self, path: Path):
        self.path = path
        self.bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.connection: socket.socket | None = None


class Server:
    """Runs from the start to close(). One vector a peer."""

    def __init__(self, folder: Path, peers: int, size: int):
        self.memory = os.memfd_create("amalgam-shared")  # no name in any file system: nothing is left, however we end
        os.ftruncate(self.memory, size)
        self.peers = [Peer(folder / f"ivshmem{i}") for i in range(peers)]
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._serve, args=(i,), daemon=True) for i in range(peers)]
        for thread in self._threads:
            thread.start()

    def _serve(self, number: int) -> None:
        """One emulator of this number after the other."""
        peer = self.peers[number]
        while True:
            try:
                connection, _ = peer.listener.accept()
            except OSError:
                return  # closed
            with connection:
                self._join(number, connection)
                while self._hears(connection):
                    pass
                self._leave(number)

    @staticmethod
    def _hears(connection: socket.socket) -> bool:
        """A peer says nothing; false when it has gone."""
        try:
            return bool(connection.recv(64))
        except OSError:
            return False

    def _join(self, number: int, connection: socket.socket) -> None:
        peer = self.peers[number]
        with self._lock:
            told = self._tell(connection, VERSION) and self._tell(connection, number) and self._tell(connection, MEMORY, self.memory)
            for other, there in enumerate(self.peers):
                if told and there.connection:
                    told = self._tell(connection, other, there.bell)
                    self._tell(there.connection, number, peer.bell)
            if told and self._tell(connection, number, peer.bell):
                peer.connection = connection

    def _leave(self, number: int) -> None:
        with self._lock:
            self.peers[number].connection = None
            for there in self.peers:
                if there.connection:
                    self._tell(there.connection, number)

    @staticmethod
    def _tell(connection: socket.socket, number: int, file: int | None = None) -> bool:
        """False if the peer has gone: its own thread sees to that."""
        try:
            socket.send_fds(connection, [MESSAGE.pack(number)], [] if file is None else [file])
        except OSError:
            return False
        return True

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
