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

    def begin(self, peers: int) -> tuple[int, int, dict[int, int]]:
        """Version, own number, the others' doorbells, memory, its own; returns the last four."""
        assert self.message() == (0, None)
        number, none = self.message()
        assert none is None
        bells = dict(self.message() for _ in range(peers - 1))
        sign, memory = self.message()
        assert sign == -1 and memory is not None
        bells |= dict([self.message()])
        assert all(bell is not None for bell in bells.values())
        return number, memory, {i: bell for i, bell in bells.items() if bell is not None}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, 3, 8192)
    yield server
    server.close()


def test_all_get_one_memory_and_each_others_doorbells(server: Server, tmp_path: Path) -> None:
    first, second = Client(tmp_path, 0), Client(tmp_path, 2)
    number, memory, bells = first.begin(3)
    other, same, others = second.begin(3)
    assert (number, other) == (0, 2) and set(bells) == set(others) == {0, 1, 2}
    os.pwrite(memory, b"seen by all", 4096)
    assert os.pread(same, 11, 4096) == b"seen by all"
    os.eventfd_write(others[0], 1)
    assert os.eventfd_read(bells[0]) == 1
    with pytest.raises(BlockingIOError):
        os.eventfd_read(bells[2])
    first.socket.close()
    second.socket.close()


def test_who_comes_again_has_its_number_and_its_doorbell_and_nobody_else_is_told(server: Server, tmp_path: Path) -> None:
    """A message to the others would make QEMU 7.2 write to memory that it has freed."""
    first, second = Client(tmp_path, 0), Client(tmp_path, 1)
    _, _, bells = first.begin(3)
    second.begin(3)
    second.socket.close()
    os.eventfd_write(bells[1], 1)
    again = Client(tmp_path, 1)
    number, _, own = again.begin(3)
    assert number == 1 and os.eventfd_read(own[1]) == 1
    first.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):
        first.message()
    first.socket.close()
    again.socket.close()
