# SPDX-License-Identifier: MIT
"""The MultiProcessor table of a guest (MultiProcessor Specification 1.4, chapter 4), for systems that do not read ACPI.

It says the same as the MADT as far as it can: processors, the I/O APIC, where ISA interrupts arrive. Its only bus is
ISA: interrupt inputs from 16 on, those of virtio devices and tunnels, are in the ACPI tables alone.
"""

from __future__ import annotations

import struct

OEM_ID, PRODUCT_ID = b"AMALGAM ", b"VIRTUAL PC  "
LAPIC, LAPIC_VERSION = 0xFEE00000, 0x14
IOAPIC, IOAPIC_VERSION = 0xFEC00000, 0x20
SIGNATURE, FEATURES = 0xF00, 1 << 0 | 1 << 9  # family 15 and beyond: CPUID says which; FPU and APIC
ISA, ISA_INPUTS = 0, 16
PROCESSOR, BUS, IO_APIC, IO_INTERRUPT, LOCAL_INTERRUPT = range(5)
INT, NMI, _SMI, EXTINT = range(4)
HIGH_LEVEL = 1 | 3 << 2  # po: active high, el: level
ALL_LAPICS = 0xFF


def checksum(data: bytes) -> int:
    """The byte that makes the sum of `data` and itself zero."""
    return -sum(data) & 0xFF


def floating_pointer(table_at: int) -> bytes:
    """The structure that systems search for (4.1); no IMCR: the 8259's interrupts arrive at the local APIC's LINT0."""
    data = bytearray(struct.pack("<4sIBBB5s", b"_MP_", table_at, 1, 4, 0, b""))
    data[10] = checksum(data)
    return bytes(data)


def configuration(n_vcpus: int, ioapic_id: int, sci: int) -> bytes:
    """The configuration table (4.2 and 4.3): the first processor starts the others."""
    entries = [struct.pack("<BBBBII8x", PROCESSOR, i, LAPIC_VERSION, 3 if i == 0 else 1, SIGNATURE, FEATURES) for i in range(n_vcpus)]
    entries.append(struct.pack("<BB6s", BUS, ISA, b"ISA   "))
    entries.append(struct.pack("<BBBBI", IO_APIC, ioapic_id, IOAPIC_VERSION, 1, IOAPIC))
    for irq in range(ISA_INPUTS):
        if irq != 2:  # the second 8259's place: no device has it; input 2 is the timer's
            flags = HIGH_LEVEL if irq == sci else 0
            entries.append(struct.pack("<BBHBBBB", IO_INTERRUPT, INT, flags, ISA, irq, ioapic_id, irq or 2))
    entries.append(struct.pack("<BBHBBBB", LOCAL_INTERRUPT, EXTINT, 0, ISA, 0, ALL_LAPICS, 0))
    entries.append(struct.pack("<BBHBBBB", LOCAL_INTERRUPT, NMI, 0, ISA, 0, ALL_LAPICS, 1))
    body = b"".join(entries)
    head = struct.pack("<4sHBB8s12sIHHIHBB", b"PCMP", 44 + len(body), 4, 0, OEM_ID, PRODUCT_ID, 0, 0, len(entries), LAPIC, 0, 0, 0)
    data = bytearray(head + body)
    data[7] = checksum(data)
    return bytes(data)
