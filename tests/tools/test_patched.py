# SPDX-License-Identifier: MIT
"""A Linux that was not built for ring 1: where its instructions begin is what a disassembler says, each that would not trap gets its byte
and nothing else changes, and a kernel that can be no guest is told what it is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import cli, paths
from amalgam.binary import x86code
from amalgam.errors import UserError
from amalgam.system.compile import checked
from amalgam.system.guest import guest_file
from amalgam.system.patched import Native, sections

CROSS = "i686-linux-gnu-"
FORMS = r"""
    .globl _start
_start:
    pushf; popf; iret; cpuid
    movl $0x9c9d9ccf, %eax          # bytes in constants and operands
    movl 0x9c9d9ccf(%ebx,%esi,4), %eax
    movb $0x9c, 0x9d(%esp)
    cmpb $0x9c, 0x9d9d9d9d
    movw $0x9d9c, %ax
    addr16 movl 0x10(%bx,%si), %eax
    testb $0x9c, (%ecx); notb (%ecx); testl $0x9c9c9c9c, (%ecx); negl (%ecx)
    imull $0x9c, %ecx, %edx; imull $0x9c9c9c9c, %ecx, %edx
    enter $0x9c9c, $0x9d; ret $0x9c
    ljmp $0x9c9c, $0x9d9d9d9d; lcall *(%eax)
    movl 0x9c9c9c9c, %eax; movb %al, 0x9d9d9d9d
    int $0x9c; jmp _start; jz _start; jmp far; jnz far; loop _start
    shldl $0x9c, %eax, %ebx; btl $0x9c, (%eax); shrl $0x9c, %eax; bswap %eax
    lock cmpxchg8b (%edi); rep movsl; movzbl 0x9c(%eax), %ecx; ud2; fnsave 0x9c(%eax); fld1
    pshufd $0x9c, %xmm0, %xmm1; pshufb %xmm0, %xmm1; palignr $0x9c, %xmm0, %xmm1
    rdtsc; wrmsr; sysenter; push %fs; pop %gs; lgdt (%eax); mov %cr0, %eax; invlpg 0x9c(%eax)
    .skip 200
far:
    pushf; popf; iret; cpuid
    .section .rodata
    .ascii "BANNER\0"
"""
BANNER = "Linux version 6.1.0 (a@b) (gcc) #1 PREEMPT"


def linked(folder: Path, code: str, banner: str = BANNER) -> bytes:
    source = folder / "code.s"
    source.write_text(code.replace("BANNER", banner), encoding="utf-8")
    subprocess.run([f"{CROSS}as", "-o", folder / "code.o", source], check=True)
    subprocess.run([f"{CROSS}ld", "-Ttext=0x100000", "-o", folder / "code", folder / "code.o"], check=True)
    return (folder / "code").read_bytes()


def disassembled(path: Path) -> dict[int, int]:
    """Address and length of each instruction."""
    text = subprocess.run([f"{CROSS}objdump", "-dz", "--insn-width=16", path], check=True, capture_output=True, text=True).stdout
    lines = re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", text, re.MULTILINE)
    return {int(address, 16): len(code.split()) for address, code in lines}


def swept(image: bytes, base: int) -> dict[int, int]:
    """The same by our own sweep of the sections, which lie at `base` more than in the file."""
    return {base + at + start: n for at, size in sections(image) for start, _, n in x86code.sweep(image[at : at + size])}


def test_instructions_begin_where_a_disassembler_says(tmp_path: Path) -> None:
    image = linked(tmp_path, FORMS)
    theirs = disassembled(tmp_path / "code")
    assert swept(image, min(theirs) - sections(image)[0][0]) == theirs


def test_all_of_a_librarys_code_is_swept_as_a_disassembler_does(tmp_path: Path) -> None:
    library = subprocess.run([f"{CROSS}gcc", "-print-libgcc-file-name"], check=True, capture_output=True, text=True).stdout.strip()
    whole = tmp_path / "whole.o"
    subprocess.run([f"{CROSS}ld", "-r", "--whole-archive", "-o", whole, library], check=True)
    subprocess.run([f"{CROSS}objcopy", "-S", "-j", ".text", whole, tmp_path / "text.o"], check=True)
    theirs = disassembled(tmp_path / "text.o")
    image = (tmp_path / "text.o").read_bytes()
    ours = swept(image, -sections(image)[0][0])
    waits = {at for at, n in theirs.items() if (ours.get(at), n) == (1, 3)}  # FWAIT is one of its own
    assert len(theirs) > 10000
    assert {at: n for at, n in ours.items() if at in theirs and at not in waits} == {at: n for at, n in theirs.items() if at not in waits}


def test_each_place_gets_its_byte_and_nothing_else_changes(tmp_path: Path) -> None:
    image = linked(tmp_path, FORMS)
    native = Native(image)
    assert native.native()
    assert native.wrong() == ""
    made = native.patched()
    changed = {at: (was, now) for at, (was, now) in enumerate(zip(image, made, strict=True)) if was != now}
    assert list(changed.values()) == [(0x9C, 0x6C), (0x9D, 0x6D), (0xCF, 0x6E), (0x0F, 0x6F)] * 2


@pytest.mark.parametrize(
    ("code", "banner", "why"),
    [
        ("cmove %eax, %ebx", BANNER, "compiled for processors since 1995 (1 times CMOV)"),
        ("pushf", BANNER.replace("#1 PREEMPT", "#1 SMP PREEMPT"), "compiled for several processors"),
        ("insb", BANNER, "1 INS or OUTS without REP"),
    ],
)
def test_a_kernel_that_can_be_no_guest_is_told_what_it_is(tmp_path: Path, code: str, banner: str, why: str) -> None:
    assert why in Native(linked(tmp_path, f'{code}\n.section .rodata\n.ascii "BANNER\\0"\n', banner)).wrong()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\\0GNU Mach 1.8-486\\0BANNER", "is GNU Mach 1.8-486, which was not built for ring 1, and it is no Linux"),
        ("BANNER", "is Linux 6.1.0, which was not built for ring 1, and it is compiled for processors since 1995 (1 times CMOV)"),
    ],
)
def test_run_guest_says_of_a_kernel_that_can_be_no_guest_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    linked(tmp_path, f'cmove %eax, %ebx\n.section .rodata\n.ascii "{text}\\0"\n')
    args = cli.parser().parse_args(["run", "guest", "--board", "i586-linux", "--kernel", str(tmp_path / "code")])
    with pytest.raises(UserError) as error:
        checked(guest_file(args), False, lambda _text: None)
    assert says in error.value.what and "docs/i586-linux.md says which ones" in error.value.what


@pytest.mark.parametrize(
    ("text", "devices", "says"),
    [
        ("BANNER", "[{type: uart}]", "was not built for ring 1, and has no interrupts without a PC's devices"),
        ("\\0amalgam\\0BANNER", "[{type: pc}]", "is built for ring 1, and has no use for 'pc'"),
    ],
)
def test_a_pcs_devices_are_for_who_was_not_built_for_ring_1(tmp_path: Path, text: str, devices: str, says: str) -> None:
    linked(tmp_path, f'pushf\n.section .rodata\n.ascii "{text}\\0"\n')
    path = tmp_path / "one.yaml"
    path.write_text(f"system: one\nboard: i586-linux\ndomains:\n  a: {{kernel: code, memory: 16M, devices: {devices}}}\n", encoding="utf-8")
    with pytest.raises(UserError) as error:
        checked(path, False, lambda _text: None)
    assert says in error.value.what


def test_a_file_without_room_for_a_header_has_no_sections() -> None:
    """Whatever it says that it is."""
    assert "no table of sections" in Native(BANNER.encode()).wrong()


def test_mach_which_has_a_banner_of_linux_too_is_no_linux(tmp_path: Path) -> None:
    """Its drivers are Linux 2.0's."""
    code = 'pushf\n.section .rodata\n.ascii "\\0GNU Mach 1.8-486\\0BANNER\\0"\n'
    native = Native(linked(tmp_path, code))
    assert native.name() == "GNU Mach 1.8-486"
    assert "no Linux" in native.wrong()
    assert Native(linked(tmp_path, 'pushf\n.section .rodata\n.ascii "BANNER\\0"\n')).name().startswith("Linux ")


def test_a_string_instruction_with_rep_stays(tmp_path: Path) -> None:
    image = linked(tmp_path, 'rep insb; rep outsl\n.section .rodata\n.ascii "BANNER\\0"\n')
    assert Native(image).wrong() == ""
    assert Native(image).patched() == image


def test_what_is_no_linux_or_was_built_for_ring_1_is_left_alone(tmp_path: Path) -> None:
    assert not Native(linked(tmp_path, "pushf")).native()
    assert not Native(linked(tmp_path, 'pushf\n.section .rodata\n.ascii "\\0amalgam\\0BANNER\\0"\n')).native()
    assert Native(b"\x7fELF" + bytes(100)).places == {}
