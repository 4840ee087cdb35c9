# SPDX-License-Identifier: MIT
"""The system compiler's rules: each file of systems_wrong breaks one and says at its end what must be reported and where;
each of systems_right shows one feature and must pass, and the kernel's own check must accept the image."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from amalgam.errors import UserError
from amalgam.system import image, kernels, layout, model, units
from amalgam.system.compile import checked
from amalgam.system.source import Problem, SystemFileError

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
WRONG = sorted((TESTS / "systems_wrong").glob("*.yaml"))
RIGHT = sorted((TESTS / "systems_right").glob("*.yaml"))
EXPECT = re.compile(r"^# expect (\d+):(\d+): (.*)$", re.MULTILINE)


def bzimage(payload: bytes = b"", entry: int = 1, pref: int = 0, init: int = 0) -> bytes:
    """As much of a bzImage as its recognition needs: HdrS, protocol 2.15, a 64-bit entry, what it says of itself."""
    data = bytearray(4096)
    data[0x1F1] = 3  # sectors of setup code behind the first: the kernel is at 0x800
    struct.pack_into("<I", data, 0x1F4, (2048 + len(payload)) // 16)
    data[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", data, 0x206, 0x20F)
    struct.pack_into("<H", data, 0x236, entry)
    struct.pack_into("<II", data, 0x248, 2048 if payload else 0, len(payload))
    struct.pack_into("<QI", data, 0x258, pref, init)
    return bytes(data) + payload


def multiboot(magic: int, words: int) -> bytes:
    """A header whose fields add up to zero."""
    rest = [0] * (words - 2)
    return bytes(64) + struct.pack(f"<{words}I", magic, *rest, -magic & 0xFFFFFFFF) + bytes(64)


def elf32(machine: int, order: str, more: tuple[int, ...] = ()) -> bytes:
    """An ELF file with one segment at 0x10000 that is entered at its virtual address 0xc0010000; and `more` that lie elsewhere."""
    header = b"\x7fELF\x01" + (b"\x01" if order == "<" else b"\x02") + b"\x01" + bytes(9)
    header += struct.pack(order + "HHIIIIIHHHHHH", 2, machine, 1, 0xC0010000, 52, 0, 0, 52, 32, 1 + len(more), 0, 0, 0)
    at = 84 + 32 * len(more)
    for paddr in (0x10000, *more):
        header += struct.pack(order + "IIIIIIII", 1, at, 0xC0000000 + paddr, paddr, 64, 128, 7, 4)
    return header + bytes(range(64))


def program(
    kind: int = 3, machine: int = 62, loads: tuple[tuple[int, int, int], ...] = ((4, 0, 0x200), (5, 0x1000, 64), (6, 0x2000, 0x1800))
) -> bytes:
    """A program for a process, entered at 0x1000; `loads`: rights, address, size in memory."""
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0x1000, 64, 0, 0, 64, 56, len(loads), 0, 0, 0)
    for flags, address, size in loads:
        header += struct.pack("<IIQQQQQQ", 1, flags, 0, address, address, min(size, 64), size, 0x1000)
    return header


def riscv(bits: int = 64, kind: int = 2, entry: int = 0x80000000, loads: tuple[tuple[int, int], ...] = ((0x80000000, 128),)) -> bytes:
    """A kernel for a cluster; `loads`: physical address, size in memory."""
    header = b"\x7fELF" + bytes((bits // 32, 1, 1)) + bytes(9)
    if bits == 32:
        header += struct.pack("<HHIIIIIHHHHHH", kind, 243, 1, entry, 52, 0, 0, 52, 32, len(loads), 0, 0, 0)
        return header + b"".join(struct.pack("<IIIIIIII", 1, 0, at, at, 52, size, 7, 4) for at, size in loads)
    header += struct.pack("<HHIQQQIHHHHHH", kind, 243, 1, entry, 64, 0, 0, 64, 56, len(loads), 0, 0, 0)
    return header + b"".join(struct.pack("<IIQQQQQQ", 1, 7, 0, at, at, 64, size, 4) for at, size in loads)


def multibooted(elf: bytes) -> bytes:
    """With a header of version 1 in its last bytes."""
    return elf[:-12] + multiboot(0x1BADB002, 3)[64:76]


def make_files(folder: Path) -> None:
    """The files that the systems name."""
    contents = {
        "linux": bzimage(),
        "linux32": bzimage(entry=0),
        "linux-large": bzimage(pref=16 << 20, init=61 << 20),
        "linux-cut": bzimage(b"\x28\xb5\x2f\xfd" + bytes(8188))[:8192],
        "linux-head": bzimage()[:600],
        "linux-whole": bzimage(compressed := lzma.compress(bytes(range(256)) * 64)),
        "linux-hurt": bzimage(compressed[:200] + b"?" + compressed[201:]),
        "arm.elf": elf32(40, "<"),
        "overlap.elf": multibooted(elf32(3, "<", (0x10040,))),
        "cut.elf": multibooted(elf32(3, "<"))[:140],
        "high.elf": multibooted(elf32(3, "<", (40 << 20,))),
        "vmlinux": elf32(62, "<"),
        "notes": b"# What I wanted to say\n\tfirst: *this*\n",
        "raw.bin": b"\xeb\xfe" * 64,
        "big.bin": bytes(4 << 20),
        "multiboot": multiboot(0x1BADB002, 3),
        "multiboot2": multiboot(0xE85250D6, 4),
        "elf": b"\x7fELF" + bytes(60),
        "elf-x86": elf32(3, "<"),
        "ppc.elf": elf32(20, ">"),
        "program.elf": program(),
        "fixed.elf": program(kind=2),
        "program-arm.elf": program(machine=183),
        "rwx.elf": program(loads=((4, 0, 0x200), (7, 0x1000, 64))),
        "shared.elf": program(loads=((4, 0, 0x1001), (5, 0x1000, 64))),
        "large.elf": program(loads=((4, 0, 0x200), (5, 0x1000, 64), (6, 0x2000, 0xA000))),
        "riscv.elf": riscv(),
        "riscv32.elf": riscv(32),
        "riscv.o": riscv(kind=1),
        "riscv-nowhere.elf": riscv(entry=0x80000100),
        "riscv-overlap.elf": riscv(loads=((0x80000000, 128), (0x80000020, 128))),
        "riscv-far.elf": riscv(loads=((0x80000000, 128), (0x90000000, 128))),
        "riscv-large.elf": riscv(loads=((0x80000000, 128), (0x80200000, 64))),
        "initrd": b"070701" + bytes(506),
        "mach.gz": gzip.compress(b"a kernel, as GRUB takes it"),
        "empty": b"",
        "disk.img": bytes(1024),
        "odd.img": bytes(700),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    for name in ("folder", "tree", "linked"):
        (folder / name).mkdir()
    (folder / "tree/file").write_bytes(bytes(40 << 10))
    (folder / "linked/raw.bin").symlink_to(folder / "raw.bin")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("systems")
    make_files(made)
    return made


def problems(path: Path) -> list[Problem]:
    try:
        checked(path, False, lambda _text: None)
    except SystemFileError as error:
        return error.problems
    return []


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_wrong_system(path: Path, folder: Path) -> None:
    text = path.read_text(encoding="utf-8")
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    expected = [(int(line), int(column), words) for line, column, words in EXPECT.findall(text)]
    assert expected, "the file does not say what is expected"
    found = [(p.mark.line, p.mark.column, f"{p.wrong}; {p.right}") for p in problems(copy)]
    assert len(found) == len(expected)
    for (line, column, words), (wanted_line, wanted_column, wanted) in zip(found, expected, strict=True):
        assert (line, column) == (wanted_line, wanted_column)
        assert words == wanted or (wanted.endswith("...") and words.startswith(wanted[:-3])), words


def test_an_image_that_unpacks_is_right(folder: Path) -> None:
    path = folder / "whole.yaml"
    path.write_text("system: whole\nboard: q35\ndomains:\n  a: {kernel: linux-whole, memory: 64M}\n", encoding="utf-8")
    assert problems(path) == []


@pytest.mark.parametrize(("missing", "cut"), [(15, False), (16, True)])
def test_the_last_paragraph_of_a_bzimage_may_be_a_part(tmp_path: Path, missing: int, cut: bool) -> None:
    """The header counts units of 16 bytes, rounded up; memtest86+ ends 8 bytes before."""
    (tmp_path / "kernel").write_bytes(bzimage()[:-missing])
    assert ("cut off" in kernels.examine(tmp_path / "kernel").wrong) == cut


@pytest.mark.parametrize("compress", [bz2.compress, gzip.compress, lzma.compress, lambda data: lzma.compress(data, lzma.FORMAT_ALONE)])
def test_a_damaged_payload_is_seen_whatever_compressed_it(compress: Callable[[bytes], bytes]) -> None:
    data = random.Random(1).randbytes(200000)
    good = compress(data)
    assert kernels.damage_of(good + b"size") == ""
    assert kernels.damage_of(good[:-100]) != ""
    for at in range(50, len(good) - 50, len(good) // 40):
        assert kernels.damage_of(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]) != "" or compress is not gzip.compress, at


def test_no_image_makes_the_examiner_stumble(tmp_path: Path, folder: Path) -> None:
    """A file of somebody else's may say anything."""
    chance = random.Random(18)
    for name in ("linux-whole", "overlap.elf", "multiboot2", "elf-x86", "vmlinux"):
        data = (folder / name).read_bytes()
        for turn in range(100):
            bad = bytearray(data[: chance.randrange(8, len(data))] if turn % 2 else data)
            for _ in range(chance.randrange(1, 8)):
                bad[chance.randrange(min(len(bad), 0x270))] = chance.randrange(256)
            path = tmp_path / f"{name}-{turn}"
            path.write_bytes(bad)
            assert kernels.examine(path).what


def test_enough_rules_have_a_wrong_system() -> None:
    assert len(WRONG) >= 40


def test_all_errors_are_found_in_one_pass(folder: Path) -> None:
    path = folder / "many.yaml"
    path.write_text(
        "system: many\nboard: q35\ndomains:\n  a: {kernel: nope, memory: 3M, prio: 3}\nframes:\n  - {core: 9, length: 1ms, windows: [{domain: b, start: 0, length: 2ms}]}\n",
        encoding="utf-8",
    )
    assert [p.mark.line for p in problems(path)] == [4, 4, 4, 6, 6, 6]
    with pytest.raises(UserError, match=r"many\.yaml:4:\d+: error: .*\n(.*\n)+.*6 errors"):
        checked(path, False, lambda _text: None)


@pytest.fixture(scope="session")
def kernel_check(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernel's own check of an image, built for this machine."""
    return built_check(tmp_path_factory.mktemp("check"))


@pytest.fixture(scope="session")
def spawn_check(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of a kernel whose processes start others."""
    return built_check(tmp_path_factory.mktemp("spawn-check"), "-DSPAWN=1")


def built_check(work: Path, *options: str) -> Path:
    main = work / "main.c"
    main.write_text(
        """
#include <vm/system_part.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "rb");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    void *image = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    rewind(f);
    if (fread(image, 1, size, f) != (size_t)size)
        return 2;
    const char *why = "";
    int r = system_table_check(image, size, &why);
    printf("%d %s\\n", r, r ? why : "");
    for (unsigned i = 0; !r && i < ((const struct sys_header *)image)->n_domains; i++)
        printf("%s|%x|%s\\n", sys_domain(image, i)->name, sys_domain(image, i)->kind == SYS_KIND_VM ? sys_vm(sys_domain(image, i))->kvm : 0, sys_string(image, sys_domain(image, i)->cmdline));
    free(image);
    fclose(f);
    return r != 0;
}
""",
        encoding="ascii",
    )
    program = work / "check"
    subprocess.run(
        [
            "gcc",
            "-std=gnu11",
            "-w",
            "-fsanitize=address,undefined",
            *options,
            f"-I{ROOT}/tests/host/include",
            f"-I{ROOT}/kernel/include",
            "-o",
            program,
            main,
            ROOT / "kernel/core/system_table.c",
            ROOT / "kernel/core/system_outline.c",
            ROOT / "kernel/core/system_check.c",
            ROOT / "kernel/vm/pc/pc_table.c",
            ROOT / "tests/host/vm_kind.c",
        ],
        check=True,
    )
    return program


def compiled(path: Path, folder: Path) -> Path:
    copy = folder / path.name
    copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    system = checked(copy, False, lambda _text: None)
    target = folder / f"{path.stem}.img"
    image.write_image(system, {"first": 0}, target)
    return target


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_right_system_is_accepted_by_the_kernel(path: Path, folder: Path, kernel_check: Path, spawn_check: Path) -> None:
    check = spawn_check if path.stem == "spawn" else kernel_check
    done = subprocess.run([check, compiled(path, folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert compiled(path, folder).read_bytes() == compiled(path, folder).read_bytes()


def test_slots_are_refused_by_a_kernel_whose_processes_start_nothing(folder: Path, kernel_check: Path) -> None:
    path = compiled(TESTS / "systems_right" / "spawn.yaml", folder)
    done = subprocess.run([kernel_check, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "-22 a domain has unknown flags\n")


def test_the_kernel_reads_the_kvm_features_that_the_file_lists(folder: Path, kernel_check: Path) -> None:
    path = compiled(TESTS / "systems_right" / "kvm.yaml", folder)
    done = subprocess.run([kernel_check, path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == [f"a|{model.KVM_ALL:x}|", f"b|{model.KvmFeature.EOI:x}|", "c|0|"]


def test_the_kernel_refuses_every_damaged_byte_of_the_table(folder: Path, kernel_check: Path) -> None:
    good = compiled(TESTS / "systems_right" / "frame.yaml", folder)
    data = good.read_bytes()
    table_size = image.HEADER.unpack_from(data)[4]
    bad = folder / "damaged.img"
    for at in range(0, table_size, 97):
        bad.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        assert subprocess.run([kernel_check, bad], capture_output=True, check=False).returncode != 0, f"byte {at}"


def test_the_first_screen_is_left_to_who_types() -> None:
    """The real-time partition of `make run` writes once a minute of its windows; README says whose figures those are."""
    system = yaml.safe_load((ROOT / "systems" / "debian.yaml").read_text(encoding="utf-8"))
    (frame,) = system["frames"]
    report = re.search(r"report=(\d+)", system["domains"]["rt"]["cmdline"])
    frame_us = units.parse_time_us(frame["length"])
    assert report and frame_us and int(report[1]) * frame_us >= 60_000_000
    assert "the emulator's figures" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_who_may_write_a_disk_has_its_own_copy(folder: Path) -> None:
    """Else what one guest writes changes another's disk, or its own initrd for the next start."""
    path = folder / "written.yaml"
    device = "{type: block, image: disk.img"
    path.write_text(
        "system: written\nboard: q35\ndomains:\n  a:\n    kernel: linux\n    initrd: disk.img\n    memory: 64M\n"
        f"    devices: [{device}}}, {device}}}, {device}, readonly: true}}]\n",
        encoding="utf-8",
    )
    data = compiled(path, folder).read_bytes()
    domain = image.HEADER.unpack_from(data)[13]
    vm = domain + layout.SYSTEM_TABLE.offset("sys_domain", "part")
    first = vm + layout.SYSTEM_TABLE.offset("sys_vm", "device")
    contents = [image.DEVICE.unpack_from(data, first + i * image.DEVICE.size)[5] for i in range(3)]
    devices = [int.from_bytes(content, "little") for content in contents]
    assert len(set(devices)) == 3
    initrd = image.VM.unpack_from(data, vm)[2]
    assert devices[2] == initrd


@pytest.mark.parametrize(
    ("table", "compiler"),
    [
        (layout.SYSTEM_TABLE, "gcc"),
        (layout.PARTITION_TABLE, "powerpc-linux-gnu-gcc"),
    ],
)
def test_the_compiler_sees_the_same_table(tmp_path: Path, table: layout.Layout, compiler: str) -> None:
    """Size of each struct, place of each member, every define and enum: as the host reads them from the header."""
    same = []
    for name, body in table.bodies.items():
        same.append((f"sizeof(struct {name})", table.struct(name).size))
        same += [(f"offsetof(struct {name}, {f.name})", table.offset(name, f.name)) for f in table.fields(body)]
    same += table.constants.items()
    assert len(same) > 60
    lines = [f'_Static_assert({text} == {value}u, "{text}");' for text, value in same]
    source = tmp_path / "same.c"
    source.write_text(
        "\n".join(["#include <stddef.h>", *(f'#include "{header}"' for header in table.headers), *lines]) + "\n", encoding="utf-8"
    )
    subprocess.run([compiler, "-std=gnu11", "-ffreestanding", "-fsyntax-only", f"-I{ROOT}/kernel/include", source], check=True)


def test_a_header_that_is_not_understood_is_refused(tmp_path: Path) -> None:
    """Rather than a layout that is not the compiler's."""
    for text in ("#define A sizeof(int)\n", "enum e { A = B };\n", "struct s {\n    int a;\n};\n", "struct s {\n    u8 a[N];\n};\n"):
        path = tmp_path / "table.h"
        path.write_text(text, encoding="utf-8")
        with pytest.raises((KeyError, ValueError)):
            layout.Layout("<", path).struct("s")


@pytest.mark.parametrize(
    ("text", "value"),
    [("64K", 65536), ("2G", 2 << 30), ("0x1000", 4096), ("17", 17), ("1.5M", None), ("", None), ("-1M", None), ("4T", None)],
)
def test_sizes(text: str, value: int | None) -> None:
    assert units.parse_size(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("50us", 50), ("10ms", 10000), ("1.5ms", 1500), ("1s", 1000000), ("0", 0), ("10", None), ("0.5us", None), ("1h", None)],
)
def test_times(text: str, value: int | None) -> None:
    assert units.parse_time_us(text) == value


@pytest.mark.parametrize("path", sorted((ROOT / "systems").glob("*.yaml")), ids=lambda p: p.stem)
def test_systems_that_we_ship_are_right(path: Path) -> None:
    assert problems(path) == []


def reference() -> str:
    return (ROOT / "docs/system-file.md").read_text(encoding="utf-8")


def test_the_examples_of_the_reference_are_right(folder: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", reference(), re.DOTALL)
    assert len(blocks) == 3
    for number, block in enumerate(blocks):
        path = folder / f"example{number}.yaml"
        path.write_text(block, encoding="utf-8")
        assert problems(path) == []


def test_the_reference_names_every_key_device_and_way_to_boot() -> None:
    from amalgam import artifacts
    from amalgam.system import devices, read, reader

    words = [*read.SYSTEM_KEYS, *read.DOMAIN_KEYS, *read.BOARD_KEYS, *reader.names(model.Boot), *reader.names(model.DeviceType)]
    words += [key for keys in devices.DEVICE_KEYS.values() for key in keys] + [f"debian:{name}" for name in artifacts.DEBIAN]
    words += [f"linux586:{name}" for name in artifacts.LINUX586]
    assert [word for word in words if f"`{word}`" not in reference()] == []


def test_the_reference_names_every_key_of_the_ppc405_shape() -> None:
    from amalgam import artifacts
    from amalgam.system.partition import model as partition
    from amalgam.system.partition import read

    words = [
        *read.SYSTEM_KEYS,
        *read.DOMAIN_KEYS,
        *read.BOARD_KEYS,
        *read.CHANNEL_KEYS,
        *read.DEVICE_KEYS,
        *read.CHANNEL_TYPES,
        *partition.EVENTS,
    ]
    words += [action.name.lower() for action in partition.Action if action.name != "PLAN"] + [
        f"linux40x:{name}" for name in artifacts.LINUX40X
    ]
    text = reference().partition("# Systems of the ppc405 shape")[2]
    shared = ("system", "board", "cores", "domains", "channels", "shape", "machine", "max_cores", "timebase")
    assert [word for word in words if f"`{word}`" not in (reference() if word in shared else text)] == []


def test_the_reference_names_every_key_of_the_manycore_shape() -> None:
    from amalgam.system.clusters import read

    text = reference().partition("# Systems of the manycore shape")[2]
    words = [*read.SYSTEM_KEYS, *read.CLUSTER_KEYS, *read.BOARD_KEYS]
    assert [word for word in words if f"`{word}`" not in (reference() if word in ("system", "board", "shape", "machine") else text)] == []


@pytest.mark.parametrize(("programs", "parts"), [(1, [(0, 512)]), (2, [(0, 256), (256, 256)]), (3, [(0, 170), (170, 170), (340, 170)])])
def test_native_programs_have_equal_parts_of_the_memory_that_cores_share(folder: Path, programs: int, parts: list[tuple[int, int]]) -> None:
    path = folder / "programs.yaml"
    lines = [
        "system: programs",
        "board: scc",
        "domains:",
        "  chip: {kind: process, program: build:hello.elf, ues: [40], shared: 8K, memory: 64K}",
    ]
    lines += [f"  n{i}: {{kind: native, program: build:pingpong.elf, ues: [{i}], memory: 256K}}" for i in range(programs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    system = checked(path, False, lambda _text: None)
    natives = [image.PROCESS.unpack(image.pack_process(system, domain, image.Payloads(), image.Strings())) for domain in system.domains[1:]]
    assert [record[9:11] for record in natives] == parts
