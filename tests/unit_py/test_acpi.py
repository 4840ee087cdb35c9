# SPDX-License-Identifier: MIT
"""The guest's ACPI tables: found, summed, and read back by the reference disassembler."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from amalgam.system import acpi


@dataclass
class Device:
    type: int
    slot: int | None


DEVICES = [
    Device(acpi.PC, None),
    Device(acpi.UART, 0),
    Device(acpi.UART, 1),
    Device(acpi.CONSOLE, 0),
    Device(acpi.BLOCK, 1),
    Device(acpi.NET, 2),
    Device(acpi.RNG, 7),
]


def at(blob: bytes, address: int) -> bytes:
    """The table at a guest address."""
    offset = address - acpi.BASE
    (length,) = struct.unpack_from("<I", blob, offset + 4)
    return blob[offset : offset + length]


def tables(blob: bytes) -> dict[str, bytes]:
    xsdt = at(blob, struct.unpack_from("<Q", blob, 24)[0])
    found = {"XSDT": xsdt, "RSDT": at(blob, struct.unpack_from("<I", blob, 16)[0])}
    for pointer in struct.unpack(f"<{(len(xsdt) - 36) // 8}Q", xsdt[36:]):
        found[at(blob, pointer)[:4].decode()] = at(blob, pointer)
    fadt = found["FACP"]
    found["DSDT"] = at(blob, struct.unpack_from("<Q", fadt, 140)[0])
    found["FACS"] = at(blob, struct.unpack_from("<I", fadt, 36)[0])
    return found


@pytest.fixture
def blob() -> bytes:
    return acpi.build_tables(4, DEVICES, 1 << 28, [0, 3])


def disassemble(data: bytes, folder: Path) -> str:
    file = folder / "table.dat"
    file.write_bytes(data)
    run = subprocess.run(["iasl", "-d", file.name], cwd=folder, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    for complaint in ("Error", "Warning", "Invalid", "Incorrect", "Unknown"):
        assert complaint.lower() not in (run.stdout + run.stderr).lower(), run.stdout + run.stderr
    return (folder / "table.dsl").read_text()


def test_root_pointer_sums_to_zero_twice(blob: bytes) -> None:
    assert blob[:8] == b"RSD PTR "
    assert blob[15] == 2
    assert sum(blob[:20]) % 256 == 0
    assert sum(blob[:36]) % 256 == 0


def test_every_table_sums_to_zero_and_lies_inside(blob: bytes) -> None:
    found = tables(blob)
    assert set(found) == {"XSDT", "RSDT", "FACP", "APIC", "DSDT", "FACS"}
    assert len(blob) <= 0x10000
    for signature, data in found.items():
        assert data[:4].decode() == signature
        if signature != "FACS":  # has no checksum
            assert sum(data) % 256 == 0, signature
    assert struct.unpack_from("<I", found["FACP"], 36)[0] % 64 == 0


def test_the_rsdt_names_the_tables_of_the_xsdt(blob: bytes) -> None:
    found = tables(blob)
    wide = struct.unpack("<2Q", found["XSDT"][36:])
    assert struct.unpack("<2I", found["RSDT"][36:]) == wide


def mp_table(blob: bytes) -> tuple[bytes, list[bytes]]:
    """The MP configuration table as a system finds it, and its entries."""
    places = [at for at in range(0, len(blob), 16) if blob[at : at + 4] == b"_MP_"]
    assert len(places) == 1
    pointer = blob[places[0] : places[0] + 16]
    assert acpi.BASE + places[0] >= 0xF0000  # nobody searches below
    assert sum(pointer) % 256 == 0
    table_at, length, revision, default, imcr = struct.unpack_from("<IBB1xBB", pointer, 4)
    assert (length, revision, default, imcr) == (1, 4, 0, 0)
    table = blob[table_at - acpi.BASE :]
    (size,) = struct.unpack_from("<H", table, 4)
    table = table[:size]
    assert table[:4] == b"PCMP"
    assert sum(table) % 256 == 0
    entries, at = [], 44
    while at < size:
        entries.append(table[at : at + (20 if table[at] == 0 else 8)])
        at += len(entries[-1])
    assert at == size
    assert len(entries) == struct.unpack_from("<H", table, 34)[0]
    return table, entries


@pytest.mark.parametrize("vcpus", [1, 8])
def test_the_mp_table_says_what_the_madt_says(vcpus: int) -> None:
    table, entries = mp_table(acpi.build_tables(vcpus, DEVICES, 1 << 28, []))
    assert struct.unpack_from("<I", table, 36)[0] == 0xFEE00000
    assert [e[0] for e in entries] == sorted(e[0] for e in entries)
    assert [(e[1], e[3]) for e in entries if e[0] == 0] == [(i, 3 if i == 0 else 1) for i in range(vcpus)]
    assert [struct.unpack("<BBBI", e[1:]) for e in entries if e[0] == 2] == [(0xF0, 0x20, 1, 0xFEC00000)]
    inputs = {e[5]: (e[7], e[2]) for e in entries if e[0] == 3}
    assert inputs == {irq: (irq or 2, 13 if irq == 9 else 0) for irq in range(16) if irq != 2}
    assert [(e[1], e[6], e[7]) for e in entries if e[0] == 4] == [(3, 0xFF, 0), (1, 0xFF, 1)]


needs_iasl = pytest.mark.skipif(not shutil.which("iasl"), reason="acpica-tools is not installed")


@needs_iasl
@pytest.mark.parametrize("signature", ["XSDT", "RSDT", "FACP", "APIC", "DSDT", "FACS"])
def test_the_disassembler_accepts(blob: bytes, signature: str, tmp_path: Path) -> None:
    assert signature in disassemble(tables(blob)[signature], tmp_path)


@needs_iasl
def test_fixed_registers(blob: bytes, tmp_path: Path) -> None:
    text = disassemble(tables(blob)["FACP"], tmp_path)

    def field(label: str) -> str:
        found = re.search(rf"{re.escape(label)} : (\S+)", text)
        assert found, label
        return found.group(1)

    assert field("PM1A Event Block Address") == "00000600"
    assert field("PM1A Control Block Address") == "00000604"
    assert field("PM Timer Block Address") == "00000608"
    assert field("SCI Interrupt") == "0009"
    assert field("SMI Command Port") == "00000000"
    assert field("Value to cause reset") == "06"
    assert field("Reset Register Supported (V2)") == "1"
    assert field("Hardware Reduced (V5)") == "0"
    assert field("32-bit PM Timer (V1)") == "1"
    assert field("Control Method Power Button (V1)") == "1"  # or none, as here
    assert field("8042 Present on ports 60/64 (V2)") == "0"
    assert field("RTC Century Index") == "32"


@needs_iasl
@pytest.mark.parametrize("vcpus", [1, 4, 8])
def test_processors_and_interrupt_inputs(vcpus: int, tmp_path: Path) -> None:
    text = disassemble(tables(acpi.build_tables(vcpus, DEVICES, 1 << 28, []))["APIC"], tmp_path)
    assert re.findall(r"Local Apic ID : (\S+)", text) == [f"{i:02X}" for i in range(vcpus)]
    assert re.findall(r"I/O Apic ID : (\S+)", text) == ["F0"]
    assert re.findall(r"Source : (\S+)\n.*Interrupt : (\S+)", text) == [("00", "00000002"), ("09", "00000009")]


@needs_iasl
def test_devices_and_their_resources(blob: bytes, tmp_path: Path) -> None:
    text = disassemble(tables(blob)["DSDT"], tmp_path)
    assert re.findall(r"Device \((\w+)\)", text) == ["RTC0", "COM1", "COM2", "VIO0", "VIO1", "VIO2", "VIO7", "TUN0", "TUN3"]
    assert text.count('"LNRO0005"') == 4
    assert text.count('"AMLG0001"') == 2
    assert text.count('EisaId ("PNP0501")') == 2
    for address in ("0xD0000000", "0xD0001000", "0xD0002000", "0xD0007000", "0xE0000000", "0xE0300000"):
        assert text.count(address) == 1, address
    assert [int(n, 16) for n in re.findall(r"^\s+(0x\w{8}),\n\s+\}", text, re.M)] == [16, 17, 18, 23, 24, 27]
    assert re.search(r"Name \(_S5, Package \(0x04\).*?\{\s*0x05,", text, re.S)


@needs_iasl
def test_it_compiles_back_to_the_same_bytes(blob: bytes, tmp_path: Path) -> None:
    original = tables(blob)["DSDT"]
    disassemble(original, tmp_path)
    run = subprocess.run(["iasl", "-p", "again", "table.dsl"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 Errors, 0 Warnings" in run.stdout
    assert (tmp_path / "again.aml").read_bytes()[36:] == original[36:]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError):
        acpi.build_tables(9, [], 1 << 28, [])
    with pytest.raises(ValueError):
        acpi.build_tables(1, [], 0xE0000, [])
    with pytest.raises(ValueError):
        acpi.integer(1 << 64)


def test_package_lengths_at_their_limits() -> None:
    for size in (0, 62, 63, 64, 4000, 4092, 4093, 70000):
        data = acpi.pkg(bytes(size))
        extra = data[0] >> 6
        length = data[0] & (15 if extra else 63)
        length |= int.from_bytes(data[1 : 1 + extra], "little") << 4
        assert length == len(data) == size + 1 + extra


def test_the_same_input_gives_the_same_bytes(blob: bytes) -> None:
    assert blob == acpi.build_tables(4, DEVICES, 1 << 28, [0, 3])
