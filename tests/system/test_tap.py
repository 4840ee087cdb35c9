# SPDX-License-Identifier: MIT
"""The host pings a process of the board by a TAP interface, in a network namespace of its own. `user` networks of the emulator let no ping in."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from support import said
from yaml import safe_load

TUN = Path("/dev/net/tun")
CLONE_NEWNET = 0x40000000
INTERFACE, HOST, BOARD = "amalgam0", "10.9.0.1", "10.9.0.2"
PINGS = 100
IPV4_HEADER = 20  # bytes, as the host's answers have no options


@contextmanager
def namespace() -> Iterator[None]:
    """This thread, and what it starts, are in a new network namespace that has one TAP interface."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare")
        for words in (f"tuntap add {INTERFACE} mode tap", f"addr add {HOST}/24 dev {INTERFACE}", f"link set {INTERFACE} up"):
            subprocess.run(["ip", *words.split()], check=True)
        yield
    finally:
        libc.setns(before, CLONE_NEWNET)
        os.close(before)


def ping(number: int) -> bytes:
    """An echo request's message, RFC 792."""
    data = bytes(range(56))
    body = struct.pack("!BBHHH", 8, 0, 0, 0x414D, number) + data
    total = sum(struct.unpack(f"!{len(body) // 2}H", body))
    total = (total & 0xFFFF) + (total >> 16)
    return body[:2] + struct.pack("!H", ~(total + (total >> 16)) & 0xFFFF) + body[4:]


@pytest.mark.full
@pytest.mark.skipif(os.geteuid() != 0 or not TUN.exists(), reason="only root makes a namespace with a TAP interface")
def test_the_host_pings_a_process_of_the_board_by_a_tap(boot: Any) -> None:
    """Each answer is the question but for its type and its sum; and the page comes that way, too."""
    system = safe_load((paths.ROOT / "systems/web.yaml").read_text(encoding="utf-8"))
    system["domains"]["web"]["environment"] = {"NET": f"0 {BOARD}/24"}
    with namespace(), boot(system, network=f"tap={INTERFACE}") as board:
        said(board, "web", "web: serves")
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as icmp:
            icmp.settimeout(10)
            for number in range(PINGS):
                icmp.sendto(ping(number), (BOARD, 0))
                answer, (sender, _) = icmp.recvfrom(2048)
                assert sender == BOARD
                assert answer[IPV4_HEADER] == 0 and answer[IPV4_HEADER + 4 :] == ping(number)[4:]
        with socket.create_connection((BOARD, 80), 10) as http:
            http.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert b"200 OK" in http.recv(2048)
