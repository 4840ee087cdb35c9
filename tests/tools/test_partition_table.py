# SPDX-License-Identifier: MIT
"""The writer of partition tables against the C header that the kernel reads them by, and what it writes for a system."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from amalgam.previrt.patch import AREA, area_of
from amalgam.system.compile import checked
from amalgam.system.partition import model, table
from amalgam.system.partition.model import PartitionSystem

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "kernel/include/partition/table.h"
CROSS = "powerpc-linux-gnu-gcc"

# Each struct with its fields in the order in which the writer packs them; arrays by their elements.
FIELDS = {
    "pt_header": (
        table.HEADER,
        "magic version header_size table_size image_size crc32 n_vms n_cores n_plans n_tunnels n_windows n_segments "
        "off_vms off_frames off_windows off_segments off_tunnels ticks_per_us_q16 flags name",
    ),
    "pt_vm": (
        table.VM,
        "name base size entry gpr[0] gpr[1] gpr[2] gpr[3] gpr[4] flags cores prio plan action[0] action[1] action[2] restarts "
        "first_segment n_segments patches n_patches io_page dcr_first dcr_count irq_mask",
    ),
    "pt_segment": (table.SEGMENT, "src gpa filesz"),
    "pt_patch": (table.PATCH, "gpa word"),
    "pt_window": (table.WINDOW, "vm ticks"),
    "pt_frame": (table.FRAME, "first_window n_windows"),
    "pt_tunnel": (table.TUNNEL, "name base size ends[0] ends[1] may[0] may[1]"),
}


def offsets_in(packer: struct.Struct) -> list[int]:
    """The offset of each value that the format packs."""
    found, at = [], 0
    for count, code in re.findall(r"(\d*)([a-zA-Z])", packer.format):
        times = 1 if code == "s" else int(count or 1)
        size = struct.calcsize(">" + (count if code == "s" else "") + code)
        for _ in range(times):
            if code != "x":
                found.append(at)
            at += size
    return found


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """What the target's compiler makes of the header: by struct the offset of each field, then the size."""
    assert shutil.which(CROSS), "./amalgam setup installs it"
    from elftools.elf.elffile import ELFFile

    work = tmp_path_factory.mktemp("layout")
    lines = ["#include <stddef.h>", "#include <partition/table.h>"]
    for name, (_packer, fields) in FIELDS.items():
        values = [f"offsetof(struct {name}, {field})" for field in fields.split()]
        lines.append(
            f'const unsigned char_{name}[] __attribute__((section("layout_{name}"))) = {{ {", ".join(values)}, sizeof(struct {name}) }};'
        )
    constants = [
        "PT_ADDRESS",
        "PT_VM_MEMORY",
        "PT_MAGIC",
        "PT_VERSION",
        "PT_CORES",
        "PT_VMS",
        "PT_TUNNELS",
        "PT_PLANS",
        "PT_NAME",
        "PT_ANY",
        "PT_WINDOW_MIN",
        "PT_WINDOW_MIN_8",
        "PT_WINDOW_MAX",
    ]
    constants += [f"PT_{flag.name}" for flag in model.VmFlag] + [f"PT_{action.name}" for action in model.Action]
    constants += [f"PT_TUNNEL_{right.name}" for right in model.TunnelRight]
    constants += [f"PT_ON_{event.upper()}" for event in model.EVENTS] + ["PT_EVENTS"]
    lines.append(f'const unsigned constants[] __attribute__((section("layout_constants"))) = {{ {", ".join(constants)} }};')
    (work / "layout.c").write_text("\n".join(lines) + "\n", encoding="ascii")
    subprocess.run(
        [CROSS, "-std=gnu11", "-c", "-ffreestanding", f"-I{ROOT}/kernel/include", "layout.c", "-o", "layout.o"], cwd=work, check=True
    )
    with (work / "layout.o").open("rb") as file:
        sections = {s.name: s.data() for s in ELFFile(file).iter_sections() if s.name.startswith("layout_")}
    return {name.removeprefix("layout_"): [v for (v,) in struct.iter_unpack(">I", data)] for name, data in sections.items()}


@pytest.mark.parametrize("name", FIELDS)
def test_the_writer_packs_what_the_kernel_reads(name: str, layout: dict[str, list[int]]) -> None:
    packer, fields = FIELDS[name]
    assert packer.format.startswith(">")
    assert dict(zip(fields.split(), offsets_in(packer), strict=True)) == dict(zip(fields.split(), layout[name][:-1], strict=True))
    assert packer.size == layout[name][-1]


def test_the_constants_are_those_of_the_header(layout: dict[str, list[int]]) -> None:
    ours = [model.TABLE_ADDRESS, model.VM_MEMORY, table.MAGIC, table.VERSION, model.MAX_CORES, model.MAX_DOMAINS, model.MAX_CHANNELS]
    ours += [
        model.MAX_PLANS,
        model.NAME_LENGTH + 1,
        model.ANY_NUMBER,
        model.window_least(4),
        model.window_least(5),
        model.WINDOW_MOST,
        *model.VmFlag,
        *model.Action,
        *model.TunnelRight,
        *range(len(model.EVENTS)),
        len(model.EVENTS),
    ]
    assert layout["constants"] == ours


SYSTEM = """
system: sample
board: ref405ep
cores: 2
domains:
  a:
    {kernel: a.bin, load: 0x2000, memory: 1M, cores: [0], registers: {r4: 7}, hypercalls: true, restarts: 3,
     health: {fault: restart, reset: {plan: quiet}}, power: board}
  b: {kernel: a.bin, memory: 2M, hypercalls: true, priority: 23, monitor: true, device: {page: 0xf0000000, dcr: [0xa0, 2], interrupts: [2]}, cores: [1]}
  c: {kernel: a.bin, memory: 64K}
frames:
  - {core: 0, length: 10ms, windows: [{domain: a, start: 0, length: 4ms}, {domain: any, start: 5ms, length: 5ms}]}
plans:
  quiet:
    - {core: 0, length: 1ms, windows: [{domain: any, start: 0, length: 1ms}]}
channels:
  - {name: t, between: [a, b], size: 8K, write: [b]}
"""


@pytest.fixture
def sample(tmp_path: Path) -> PartitionSystem:
    (tmp_path / "a.bin").write_bytes(b"\x48\0\0\0" * 8)
    path = tmp_path / "sample.yaml"
    path.write_text(SYSTEM, encoding="utf-8")
    return checked(path, True, lambda _text: None)


def unpacked(packer: struct.Struct, image: bytes, at: int, count: int) -> list[tuple[int, ...]]:
    return [packer.unpack_from(image, at + i * packer.size) for i in range(count)]


def test_a_system_becomes_the_table_that_it_describes(sample: PartitionSystem) -> None:
    image = table.pack(sample)
    header = table.HEADER.unpack_from(image)
    magic, version, header_size, table_size, image_size, crc, n_vms, n_cores, n_plans, n_tunnels, n_windows, n_segments = header[:12]
    vms_at, frames_at, windows_at, segments_at, tunnels_at, ticks, flags, name = header[12:]
    assert (magic, version, header_size, image_size) == (0x414D4750, 1, 72, len(image))
    assert (n_vms, n_cores, n_plans, n_tunnels, n_segments, flags) == (3, 2, 2, 1, 3, table.TAGGED)
    assert name == b"sample" + bytes(10)
    assert abs(ticks / 65536 - 333.33333) < 0.0001
    assert crc == zlib.crc32(image[:16] + bytes(4) + image[20:table_size])
    a, b, c = unpacked(table.VM, image, vms_at, n_vms)
    assert (a[0].rstrip(b"\0"), a[2], a[3], a[4:9]) == (b"a", 1 << 20, 0x2000, (0, 7, 0, 0, 0))
    assert a[9] == model.VmFlag.AUTOSTART | model.VmFlag.HYPERCALLS | model.VmFlag.TLB | model.VmFlag.POWER_BOARD | model.VmFlag.FOCUS
    assert (a[10], a[12], a[13:16], a[16]) == (0b01, 1, (model.Action.RESTART, model.Action.PLAN, model.Action.IGNORE), 3)
    assert (b[10], b[11], b[21:25]) == (0b10, 2, (0xF0000000, 0xA0, 2, 0x20000000))
    assert (c[10], bool(c[9] & model.VmFlag.BACKGROUND), bool(a[9] & model.VmFlag.BACKGROUND)) == (0b11, True, False)
    frames = unpacked(table.FRAME, image, frames_at, n_plans * n_cores)
    windows = unpacked(table.WINDOW, image, windows_at, n_windows)
    per_ms = sample.board.timebase // 1000 if sample.board else 0
    assert frames == [(0, 3), (3, 1), (4, 1), (5, 1)]
    assert [(vm, round(t / per_ms)) for vm, t in windows] == [(0, 4), (255, 1), (255, 5), (255, 10), (255, 1), (255, 10)]
    segments = unpacked(table.SEGMENT, image, segments_at, n_segments)
    assert len({src for src, _, _ in segments}) == 1, "the same image is stored once"
    assert segments[0][1:] == (0x2000, 32)
    assert image[segments[0][0] :][:32] == b"\x48\0\0\0" * 8
    tunnel = table.TUNNEL.unpack_from(image, tunnels_at)
    assert (tunnel[2:], tunnel[1] % 4096) == ((8192, 0, 1, 0, 1), 0)


def test_memory_is_aligned_and_nothing_overlaps(sample: PartitionSystem) -> None:
    things = sorted([(d.base, d.memory) for d in sample.domains] + [(c.base, c.size) for c in sample.channels])
    assert things[0][0] >= model.VM_MEMORY
    for base, size in things:
        assert base % model.page_fitting(size) == 0
    for (base, size), (after, _) in zip(things, things[1:], strict=False):
        assert base + size <= after


def test_the_console_may_be_for_people(sample: PartitionSystem) -> None:
    image = table.pack(sample)
    plain = table.with_console(image, False)
    assert table.HEADER.unpack_from(plain)[-2] == 0
    assert table.with_console(plain, True) == image


def test_a_device_tree_says_memory_command_line_and_initrd(tmp_path: Path) -> None:
    (tmp_path / "a.S").write_text(".globl _start\n_start: nop\n")
    subprocess.run([CROSS, "-nostdlib", "-static", "-Wl,-Ttext=0x1000,--build-id=none", "-o", "kernel", "a.S"], cwd=tmp_path, check=True)
    (tmp_path / "initrd").write_bytes(b"070701" + bytes(5000))
    path = tmp_path / "tree.yaml"
    path.write_text(
        "system: tree\nboard: ref405ep\ndomains:\n"
        "  a: {kernel: kernel, initrd: initrd, memory: 4M, previrt: true, cmdline: 'console=ttyS0 name=\"x\"'}\n"
    )
    domain = checked(path, True, lambda _text: None).domains[0]
    blob, initrd = domain.segments[2], domain.segments[1]
    assert blob.gpa == domain.gpr[0]
    (tmp_path / "a.dtb").write_bytes(blob.data)
    text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", tmp_path / "a.dtb"], capture_output=True, text=True, check=True).stdout
    assert 'bootargs = "console=ttyS0 name=\\"x\\"";' in text
    assert "reg = <0x00 0x400000>" in text
    reserved = re.search(r"/memreserve/\s+(0x[0-9a-f]+) (0x[0-9a-f]+);", text)
    assert reserved, "the stubs of a pre-virtualized guest are no memory of its"
    assert (int(reserved[1], 16), int(reserved[2], 16)) == (area_of(4 << 20), AREA)
    assert f"linux,initrd-start = <{initrd.gpa:#x}>" in text
    assert f"linux,initrd-end = <{initrd.gpa + 5006:#x}>" in text


def test_a_users_own_tree_is_kept_but_for_memory_and_command_line(tmp_path: Path) -> None:
    source = tmp_path / "mine.dts"
    source.write_text(
        "/dts-v1/;\n/* a comment:\nmemory@9 { and uic0: are none\n*/\n"
        '/ { #address-cells = <1>; #size-cells = <1>; model = "mine"; memory@0 { reg = <0 1>; }; };\n'
    )
    subprocess.run(["dtc", "-q", "-O", "dtb", "-o", tmp_path / "mine.dtb", source], check=True)
    (tmp_path / "kernel").write_bytes(b"\x48\0\0\0" * 8)
    for name in ("mine.dts", "mine.dtb"):
        path = tmp_path / "mine.yaml"
        path.write_text(f"system: mine\nboard: ref405ep\ndomains:\n  a: {{kernel: kernel, memory: 4M, dtb: {name}, cmdline: quiet}}\n")
        domain = checked(path, True, lambda _text: None).domains[0]
        assert b"mine\0" in domain.segments[1].data
        assert b"quiet\0" in domain.segments[1].data
        assert domain.segments[1].data.count(b"memory@0\0") == 1
        assert b"memory@9" not in domain.segments[1].data


LINUX = """
system: ports
board: ref405ep
domains:
  linux: {kernel: a.bin, load: 0x2000, memory: 1M, dtb: auto}
  rt: {kernel: a.bin, memory: 1M, hypercalls: true}
  other: {kernel: a.bin, memory: 1M, hypercalls: true}
channels:
  - {name: raw, between: [rt, other]}
  - {name: speed, type: sampling, between: [rt, linux], write: rt, message: 64}
  - {name: jobs, type: queuing, between: [linux, rt], write: linux, message: 32, depth: 8}
"""


@pytest.fixture
def ports(tmp_path: Path) -> PartitionSystem:
    (tmp_path / "a.bin").write_bytes(bytes(range(251)) * 10)
    path = tmp_path / "ports.yaml"
    path.write_text(LINUX, encoding="utf-8")
    return checked(path, False, lambda _text: None)


def test_channels_of_a_device_tree_are_open_and_a_reader_of_samples_may_not_write(ports: PartitionSystem) -> None:
    """Rights of both ends by channel: bit 0 writes, bit 1 open from the start. A queue's destination says how far it is."""
    image = table.pack(ports)
    at = struct.unpack_from(">I", image, 44)[0]
    rights = [table.TUNNEL.unpack_from(image, at + i * table.TUNNEL.size)[5:] for i in range(3)]
    assert rights == [(1, 1), (1, 2), (3, 1)]


def test_the_device_tree_describes_the_channels_of_its_domain(ports: PartitionSystem, tmp_path: Path) -> None:
    blob = tmp_path / "linux.dtb"
    linux = ports.domains[0]
    blob.write_bytes(next(s.data for s in linux.segments if s.gpa == linux.gpr[0]))
    shown = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", blob], capture_output=True, text=True, check=True).stdout
    bus = shown[shown.index("tunnels {") :]
    nodes = dict(re.findall(r"(\w+@e0\d+) \{([^}]*)\}", bus))
    assert list(nodes) == ["speed@e0100000", "jobs@e0200000"]  # not that of others; by its place among all of the system
    speed = nodes["speed@e0100000"]
    for line in (
        'compatible = "amalgam,tunnel"',
        "reg = <0xe0100000 0x1000 0xe4001000 0x1000>",
        'amalgam,type = "sampling"',
        'amalgam,peer = "rt"',
    ):
        assert line in speed
    assert "read-only" in speed and 'amalgam,direction = "destination"' in speed and "amalgam,message = <0x40>" in speed
    assert "interrupts = <0x1e 0x01>" in speed
    assert "read-only" not in nodes["jobs@e0200000"] and "amalgam,depth = <0x08>" in nodes["jobs@e0200000"]
