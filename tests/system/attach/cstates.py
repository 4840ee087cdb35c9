# SPDX-License-Identifier: MIT
"""An ACPI table that gives CPUs of the board an idle state behind HLT which is entered by reading an I/O port, as AMD's firmware does."""

from __future__ import annotations

import struct


def _package(*elements: bytes) -> bytes:
    body = bytes([len(elements)]) + b"".join(elements)
    return b"\x12" + _length(body) + body


def _length(body: bytes, more: int = 0) -> bytes:
    """PkgLength, itself included (ACPI 6.4, 20.2.4)."""
    n = len(body) + more
    if n + 1 < 0x40:
        return bytes([n + 1])
    return bytes([0x40 | ((n + 2) & 15), (n + 2) >> 4])


def _byte(n: int) -> bytes:
    return bytes([0x0A, n])


def _register(space: int, bits: int, address: int) -> bytes:
    """A buffer with a generic register descriptor and the end tag."""
    raw = b"\x82\x0c\x00" + struct.pack("<BBBBQ", space, bits, 0, 1 if bits else 0, address) + b"\x79\x00"
    body = _byte(len(raw)) + raw
    return b"\x11" + _length(body) + body


def _cpu(number: int, port: int) -> bytes:
    halt = _package(_register(0x7F, 0, 0), _byte(1), _byte(1), _byte(0))
    by_port = _package(_register(1, 8, port), _byte(2), _byte(1), _byte(0))
    body = b"\\\x2f\x03_SB_CPUS" + b"C%03X" % number + b"\x08_CST" + _package(_byte(2), halt, by_port)
    return b"\x10" + _length(body) + body


def table(cpus: int, port: int) -> bytes:
    """An SSDT with _CST for each CPU."""
    body = b"".join(_cpu(number, port) for number in range(cpus))
    head = struct.pack("<4sIBB6s8sI4sI", b"SSDT", 36 + len(body), 2, 0, b"AMLGAM", b"CSTATES ", 1, b"AMLG", 1)
    made = bytearray(head + body)
    made[9] = -sum(made) & 0xFF
    return bytes(made)
