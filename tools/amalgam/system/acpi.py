# SPDX-License-Identifier: MIT
"""The firmware's tables that a guest finds at 0xf0000, made on the host.

One blob: RSDP, XSDT, RSDT, FADT, FACS, MADT, DSDT and the MP table (mptable.py), each at its
final address, at most 64 KiB. It lies where those search who read only one of them: the RSDP
above 0xe0000 (ACPI 6.4, 5.2.5.1), the MP table above 0xf0000. The tables describe the fixed virtual PC of kernel/vm/pc and kernel/vm/virtio: interrupt
controllers, power registers, serial ports, clock, virtio-mmio devices, tunnels.
AML is written by a few functions below (ACPI 6.4, chapter 20); `iasl -d` reads it back
in the tests.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from amalgam.system import mptable
from amalgam.system.layout import PC_PLACES
from amalgam.system.mptable import IOAPIC, LAPIC, checksum

PLACES = PC_PLACES.constants
BASE, LIMIT = PLACES["FIRMWARE_BASE"], PLACES["FIRMWARE_MAX"]
RSDP_AT, XSDT_AT, RSDT_AT, MP_AT, ROOT_SIZE = 0, 0x40, 0x80, 0xC0, 0x100  # what points at the others comes first
OEM_ID, OEM_TABLE, CREATOR = b"AMLGAM", b"AMALGAM ", b"AMLG"

IOAPIC_ID = 0xF0
PM1_EVENT, PM1_CONTROL, PM_TIMER = 0x600, 0x604, 0x608
RESET_PORT, RESET_VALUE = 0xCF9, 6
SCI = 9
S5_TYPE = 5
VIRTIO_BASE, VIRTIO_STRIDE, VIRTIO_GSI = (PLACES[f"VIRTIO_{what}"] for what in ("BASE", "STRIDE", "GSI"))
TUNNEL_BASE, TUNNEL_STRIDE, TUNNEL_GSI = (PLACES[f"TUNNEL_{what}"] for what in ("BASE", "STRIDE", "GSI"))
COM = [(0x3F8, 4), (0x2F8, 3), (0x3E8, 4), (0x2E8, 3)]
UART, CONSOLE, BLOCK, NET, RNG, PC = range(1, 7)  # enum sys_dev_type in core/system_table.h


def table(signature: bytes, revision: int, body: bytes) -> bytes:
    """A system description table with its header (5.2.6)."""
    head = signature + struct.pack("<IBB", 36 + len(body), revision, 0) + OEM_ID + OEM_TABLE + struct.pack("<I4sI", 1, CREATOR, 1)
    data = bytearray(head + body)
    data[9] = checksum(data)
    return bytes(data)


# --- AML --------------------------------------------------------------------------------------------


def pkg(body: bytes) -> bytes:
    """`body` behind its PkgLength, which counts itself (20.2.4)."""
    if len(body) + 1 < 0x40:
        return bytes([len(body) + 1]) + body
    for extra in (1, 2, 3):
        length = len(body) + 1 + extra
        if length < 1 << (4 + 8 * extra):
            return bytes([extra << 6 | length & 15]) + (length >> 4).to_bytes(extra, "little") + body
    raise ValueError("AML package too long")


def integer(value: int) -> bytes:
    if value in (0, 1):
        return bytes([value])
    for prefix, size in ((0x0A, 1), (0x0B, 2), (0x0C, 4), (0x0E, 8)):
        if value < 1 << 8 * size:
            return bytes([prefix]) + value.to_bytes(size, "little")
    raise ValueError(f"{value:#x} does not fit an AML integer")


def string(text: str) -> bytes:
    return b"\x0d" + text.encode("ascii") + b"\0"


def eisa_id(text: str) -> bytes:
    """A compressed plug-and-play id such as PNP0501: three letters of five bits, four hexadecimal digits."""
    letters = 0
    for letter in text[:3]:
        letters = letters << 5 | ord(letter) - 0x40
    return b"\x0c" + struct.pack(">HH", letters, int(text[3:], 16))


def name(segment: str, value: bytes) -> bytes:
    return b"\x08" + segment.encode() + value


def scope(path: bytes, *body: bytes) -> bytes:
    return b"\x10" + pkg(path + b"".join(body))


def device(segment: str, *body: bytes) -> bytes:
    return b"\x5b\x82" + pkg(segment.encode() + b"".join(body))


def package(*elements: bytes) -> bytes:
    return b"\x12" + pkg(bytes([len(elements)]) + b"".join(elements))


def resources(*descriptors: bytes) -> bytes:
    """A _CRS buffer; the end tag's zero checksum means "not checked" (6.4.2.9)."""
    data = b"".join(descriptors) + b"\x79\0"
    return name("_CRS", b"\x11" + pkg(integer(len(data)) + data))


def io_ports(base: int, count: int) -> bytes:
    return struct.pack("<BBHHBB", 0x47, 1, base, base, 1, count)


def isa_irq(irq: int) -> bytes:
    return struct.pack("<BH", 0x22, 1 << irq)


def memory32(base: int, size: int) -> bytes:
    return struct.pack("<BHBII", 0x86, 9, 1, base, size)


def interrupt(gsi: int, edge: bool) -> bytes:
    """Active high, exclusive; consumer (6.4.3.6)."""
    return struct.pack("<BHBBI", 0x89, 6, 1 | edge << 1, 1, gsi)


# --- the tables -------------------------------------------------------------------------------------


def dsdt(devices: Iterable[Any], tunnels: Iterable[int]) -> bytes:
    body = []
    for d in devices:
        slot = d.slot or 0
        if d.type == UART:
            base, irq = COM[slot]
            body.append(
                device(
                    f"COM{slot + 1}",
                    name("_HID", eisa_id("PNP0501")),
                    name("_UID", integer(slot + 1)),
                    resources(io_ports(base, 8), isa_irq(irq)),
                )
            )
        elif d.type == PC:
            body.append(device("RTC0", name("_HID", eisa_id("PNP0B00")), resources(io_ports(0x70, 2), isa_irq(8))))
        else:
            body.append(
                device(
                    f"VIO{slot:X}",
                    name("_HID", string("LNRO0005")),
                    name("_UID", integer(slot)),
                    name("_CCA", integer(1)),
                    resources(memory32(VIRTIO_BASE + slot * VIRTIO_STRIDE, VIRTIO_STRIDE), interrupt(VIRTIO_GSI + slot, False)),
                )
            )
    for i in tunnels:
        body.append(
            device(
                f"TUN{i:X}",
                name("_HID", string("AMLG0001")),
                name("_UID", integer(i)),
                resources(memory32(TUNNEL_BASE + i * TUNNEL_STRIDE, TUNNEL_STRIDE), interrupt(TUNNEL_GSI + i, True)),
            )
        )
    sleep = name("_S5_", package(integer(S5_TYPE), integer(0), integer(0), integer(0)))
    return table(b"DSDT", 2, scope(b"_SB_", *body) + sleep)


def madt(n_vcpus: int) -> bytes:
    body = struct.pack("<II", LAPIC, 1)  # the 8259 pair is there, too
    for i in range(n_vcpus):
        body += struct.pack("<BBBBI", 0, 8, i, i, 1)
    body += struct.pack("<BBBBII", 1, 12, IOAPIC_ID, 0, IOAPIC, 0)
    body += struct.pack("<BBBBIH", 2, 10, 0, 0, 2, 0)  # ISA IRQ 0 is GSI 2
    body += struct.pack("<BBBBIH", 2, 10, 0, SCI, SCI, 0xD)  # active high, level
    return table(b"APIC", 5, body)


def gas(port: int, size: int) -> bytes:
    """A generic address structure for `size` bytes of ports; access size 1 byte, 2 word, 3 double word (5.2.3.2)."""
    return struct.pack("<BBBBQ", 1, 8 * size, 0, size.bit_length(), port)


def fadt(facs_at: int, dsdt_at: int) -> bytes:
    flags = (
        1 << 0 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 10
    )  # WBINVD, C1, no buttons, no RTC wake, 32-bit timer, reset register
    fields: list[tuple[int, bytes]] = [
        (36, struct.pack("<II", facs_at, dsdt_at)),
        (45, b"\0"),
        (46, struct.pack("<H", SCI)),
        (56, struct.pack("<I", PM1_EVENT)),
        (64, struct.pack("<I", PM1_CONTROL)),
        (76, struct.pack("<I", PM_TIMER)),
        (88, bytes([4, 2, 0, 4])),
        (96, struct.pack("<HH", 0xFFF, 0xFFF)),  # no C2, no C3
        (108, b"\x32"),  # the century in the RTC
        (109, struct.pack("<H", 1 << 0 | 1 << 2)),  # legacy devices; no VGA, no 8042
        (112, struct.pack("<I", flags)),
        (116, gas(RESET_PORT, 1) + bytes([RESET_VALUE])),
        (131, b"\x04"),
        (140, struct.pack("<Q", dsdt_at)),
        (148, gas(PM1_EVENT, 4)),
        (172, gas(PM1_CONTROL, 2)),
        (208, gas(PM_TIMER, 4)),
    ]
    data = bytearray(276)
    for offset, value in fields:
        data[offset : offset + len(value)] = value
    return table(b"FACP", 6, bytes(data[36:]))


def facs() -> bytes:
    return struct.pack("<4sI", b"FACS", 64).ljust(32, b"\0") + b"\x02" + bytes(31)


def rsdp(rsdt_at: int, xsdt_at: int) -> bytes:
    data = bytearray(struct.pack("<8sB6sBIIQB3s", b"RSD PTR ", 0, OEM_ID, 2, rsdt_at, 36, xsdt_at, 0, b""))
    data[8] = checksum(data[:20])
    data[32] = checksum(data)
    return bytes(data)


def build_tables(n_vcpus: int, devices: Iterable[Any], memory: int, tunnels: Iterable[int]) -> bytes:
    """The blob for a guest with these devices (objects with .type and .slot) and tunnels (their indices).

    `memory` must reach to where the blob goes. ValueError if something does not fit the virtual PC.
    """
    if not 1 <= n_vcpus <= 8:
        raise ValueError(f"{n_vcpus} vCPUs: 1 to 8 are possible")
    if memory < BASE + LIMIT:
        raise ValueError(f"{memory} bytes of memory: the tables at {BASE:#x} need 1 MiB")
    blob = bytearray(ROOT_SIZE)

    def place(data: bytes) -> int:
        blob.extend(bytes(-len(blob) % 64))  # FACS wants 64
        at = BASE + len(blob)
        blob.extend(data)
        return at

    facs_at = place(facs())
    dsdt_at = place(dsdt(devices, tunnels))
    pointers = [place(fadt(facs_at, dsdt_at)), place(madt(n_vcpus))]
    roots = {
        RSDP_AT: rsdp(BASE + RSDT_AT, BASE + XSDT_AT),
        XSDT_AT: table(b"XSDT", 1, struct.pack(f"<{len(pointers)}Q", *pointers)),
        RSDT_AT: table(b"RSDT", 1, struct.pack(f"<{len(pointers)}I", *pointers)),
        MP_AT: mptable.floating_pointer(place(mptable.configuration(n_vcpus, IOAPIC_ID, SCI))),
    }
    for at, data in roots.items():
        blob[at : at + len(data)] = data
    if len(blob) > LIMIT:
        raise ValueError("the firmware's tables are larger than 64 KiB")
    return bytes(blob)
