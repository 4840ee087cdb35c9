# SPDX-License-Identifier: MIT
"""The server of shared memory and doorbells (board/ivshmem.py), as an emulator's device sees it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from amalgam.board.ivshmem import MESSAGE, Server


class Client:
    """A device: connects, and takes messages."""

    def __init__(self, folder: Path, number: int):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(folder / f"ivshmem{number}"))

    def message(self) -> tuple[int, int | None]:
        data, files, _, _ = socket.recv_fds(self.socket, MESSAGE.size, 1)
        return MESSAGE.unpack(data)[0], files[0] if files else None

    def begin(self) -> int:
        """Version, own number, memory; returns the memory."""
        assert self.message() == (0, None)
        self.number, none = self.message()
        assert none is None
        sign, memory = self.message()
        assert sign == -1 and memory is not None
        return memory


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, 3, 8192)
    yield server
    for peer in server.peers:
        if peer.connection:
            peer.connection.shutdown(socket.SHUT_RDWR)
    server.close()


def test_all_get_one_memory_and_each_others_doorbells(server: Server, tmp_path: Path) -> None:
    first = Client(tmp_path, 0)
    memory = first.begin()
    os.pwrite(memory, b"seen by all", 4096)
    assert first.number == 0
    own, bell = first.message()
    assert own == 0 and bell is not None
    second = Client(tmp_path, 2)
    assert os.pread(second.begin(), 11, 4096) == b"seen by all"
    assert second.number == 2
    other, to_first = second.message()
    assert other == 0 and to_first is not None
    assert second.message()[0] == 2
    assert first.message()[0] == 2
    os.eventfd_write(to_first, 1)
    assert os.eventfd_read(bell) == 1


def test_who_has_gone_is_told_to_the_others_and_comes_again_with_its_number(server: Server, tmp_path: Path) -> None:
    first, second = Client(tmp_path, 0), Client(tmp_path, 1)
    for client in (first, second):
        client.begin()
    assert {first.message()[0], first.message()[0]} == {0, 1}  # itself and the other one: whoever came first
    second.socket.close()
    assert first.message() == (1, None)
    again = Client(tmp_path, 1)
    again.begin()
    assert again.number == 1
    number, bell = first.message()
    assert number == 1 and bell is not None
