# SPDX-License-Identifier: MIT
"""Pre-virtualization changes what it may, says so, and leaves the rest."""

from __future__ import annotations

import contextlib
import random
import resource
import struct
import subprocess
from pathlib import Path

import pytest
from amalgam.previrt import AREA, Patched, PrevirtError, area_of, patch_elf
from amalgam.system.kernels import has_pvh_note
from amalgam.system.partition.image import ImageError, load

MEMORY = 16 << 20
BASE = 0xC0000000


def built(folder: Path, code: str, at: int = BASE) -> Path:
    """An ELF file of some assembly, linked as Linux is: virtual addresses above physical ones."""
    source, script, elf = folder / "x.S", folder / "x.lds", folder / "x.elf"
    source.write_text(f'.text\n.globl _start\n_start:\n{code}\n1: b 1b\n.section .note.GNU-stack,"",@progbits\n')
    script.write_text(f"PHDRS {{ a PT_LOAD; }} SECTIONS {{ . = {at:#x}; .text : AT(ADDR(.text) - {at:#x}) {{ *(.text) }} :a }}")
    subprocess.run(
        [
            "powerpc-linux-gnu-gcc",
            "-mcpu=405",
            "-mregnames",
            "-nostdlib",
            "-static",
            "-no-pie",
            "-Wl,--build-id=none",
            "-T",
            script,
            "-o",
            elf,
            source,
        ],
        check=True,
        capture_output=True,
    )
    return elf


def patched(folder: Path, code: str) -> Patched:
    return patch_elf(built(folder, code), MEMORY)


def stub_of(done: Patched, site: int = 0) -> list[int]:
    words = dict(done.words)
    stub = done.sites[site].stub
    assert stub is not None
    return [words.get(stub - BASE + 4 * i, 0) for i in range(16)]


def test_registers_of_the_page_become_loads_and_stores(tmp_path: Path) -> None:
    done = patched(tmp_path, "mfspr %r5, 26\nmtspr 273, %r7\nmfmsr %r9\nmfspr %r3, 981")
    assert [s.new for s in done.sites] == [0x80A0F000, 0x90E0F014, 0x8120F044, 0x8060F034]
    assert [gpa for gpa, _ in done.words] == [0, 4, 8, 12]


@pytest.mark.parametrize(
    ("code", "news", "table"),
    [
        ("rfi", [0x9800E000], []),
        ("mtspr 945, %r3", [0x9800E08C], []),
        ("mtspr 945, %r0", [0x9800E900], [0x7C11EBA6]),  # r0 is not where the short way looks
        ("mtspr 987, %r3", [0x9800E900], [0x7C7BF3A6]),
        ("tlbsx. %r3, 0, %r4", [0x9800E900], [0x7C602725]),
        ("tlbwe %r3, %r4, 0", [0x9800E900], [0x7C6407A4]),
        ("tlbia", [0x9800E300], [0x7C0002E4]),
        ("tlbwe %r3, %r4, 1\ntlbwe %r5, %r4, 0", [0x9800E900, 0x9800E910], [0x7C640FA4, 0x7CA407A4, 0, 0, 0x7CA407A4]),
        ("tlbwe %r3, %r4, 1\ntlbwe %r5, %r6, 0", [0x9800E900, 0x9800E908], [0x7C640FA4, 0, 0x7CA607A4]),  # two entries
        ("tlbwe %r3, %r4, 1\n2: tlbwe %r5, %r4, 0\nb 2b", [0x9800E900, 0x9800E908], [0x7C640FA4, 0, 0x7CA407A4]),
    ],
)
def test_what_the_hypervisor_must_do_is_called_for(tmp_path: Path, code: str, news: list[int], table: list[int]) -> None:
    done = patched(tmp_path, code)
    assert [s.new for s in done.sites] == news
    words = dict(done.words)
    start = area_of(MEMORY) + (0 if "tlbia" in code else 0x100)
    assert [words.get(start + 4 * i, 0) for i in range(len(table))] == table
    assert len([gpa for gpa in words if gpa >= area_of(MEMORY)]) == len([w for w in table if w])


ENTRY, SEARCH = "tlbwe %r3, %r4, 1\ntlbwe %r5, %r4, 0\nmtspr 945, %r6", "mtspr 945, %r5\ntlbsx. %r3, 0, %r4\nmtspr 945, %r6"
ENTRY_WORDS, SEARCH_WORDS = [0x7C640FA4, 0x7CA407A4, 0x7CD1EBA6], [0x7CB1EBA6, 0x7C602725, 0x7CD1EBA6]


@pytest.mark.parametrize(("code", "kind", "table"), [(ENTRY, 0x100, ENTRY_WORDS), (SEARCH, 0x200, SEARCH_WORDS)])
def test_three_instructions_are_one_call(tmp_path: Path, code: str, kind: int, table: list[int]) -> None:
    done = patched(tmp_path, code)
    words = dict(done.words)
    assert words[0] == 0x9800E000 + kind
    assert [words.get(area_of(MEMORY) + 4 * i, 0) for i in range(4)] == [*table, 0]


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (ENTRY, "%r6", "%r0"),  # r0 is not where the short way looks
        (ENTRY, "tlbwe %r3", "tlbwe %r0"),
        (ENTRY, "mtspr 945", "2: b 2b\nmtspr 945"),  # not behind it
        (ENTRY, "mtspr 945", "b 2f\n2: mtspr 945"),
        (SEARCH, "%r3, 0,", "%r3, %r7,"),  # a sum of two registers
        (SEARCH, "tlbsx.", "tlbsx"),  # CR0 stays
        (SEARCH, "%r5", "%r0"),
        (SEARCH, "tlbsx.", "2: tlbsx."),  # a symbol: somebody may come here
    ],
)
def test_three_others_are_not(tmp_path: Path, code: str, old: str, new: str) -> None:
    text = code.replace(old, new, 1).replace("2: tlbsx.", ".globl other\nother: tlbsx.")
    assert text != code
    first = dict(patched(tmp_path, text).words)[0]
    assert first & ~0xFF not in (0x9800E100, 0x9800E200)


def test_the_quick_part_of_the_table_may_be_full(tmp_path: Path) -> None:
    done = patched(tmp_path, "\n".join(["tlbia"] * 33))
    assert [s.new for s in done.sites] == [0x9800E300 + 8 * i for i in range(32)] + [0x9800E900]


HANDLER = """
    .org 0xc00
    mfspr %r9, 27
    mfspr %r12, 26
    lis %r11, 2
    ori %r11, %r11, 0x1032
    lis %r10, target@h
    ori %r10, %r10, target@l
    mtspr 27, %r11
    mtspr 26, %r10
    mfspr %r10, 275
    mr %r11, %r1
    lwz %r1, -1004(%r10)
    addis %r10, %r10, {distance}
    addi %r1, %r1, 8000
    rfi
target: nop
    lwz %r3, 0(%r4)
    b 1f
    .org 0x2000
"""


def test_a_handler_begins_translated(tmp_path: Path) -> None:
    done = patched(tmp_path, HANDLER.format(distance="0xc000 - 0x10000"))
    assert done.handler == (BASE + area_of(MEMORY) + 0x780, 0x21032)
    words = dict(done.words)
    copy = [words.get(area_of(MEMORY) + 0x780 + 4 * i, 0) for i in range(10)]
    # SRR1 and SRR0 first, the stack by its linear address; nothing is left of the constants
    assert copy[:7] == [0x8120F004, 0x8180F000, 0x8140F01C, 0x7C2B0B78, 0x3D4AC000, 0x802AFC14, 0x38211F40]
    # then what the rfi went to, up to a branch, which leads where that one does
    assert copy[7:9] == [0x60000000, 0x80640000]
    at, distance = done.handler[0] + 36, copy[9] & 0x03FFFFFC
    assert copy[9] >> 26 == 18
    assert (at + distance - (1 << 26 if distance & 0x02000000 else 0)) & 0xFFFFFFFF == BASE + 0x2000
    assert done.records[:2] == [(0xFFFFFFFF, value) for value in done.handler]


@pytest.mark.parametrize("behind", ["bl 1f", "beq 1f", "blr", "mfmsr %r3\nb 1f"])
def test_what_follows_it_may_stay(tmp_path: Path, behind: str) -> None:
    """Only a straight line up to a plain branch is taken along."""
    done = patched(tmp_path, HANDLER.format(distance="0xc000 - 0x10000").replace("b 1f", behind))
    words = dict(done.words)
    at = area_of(MEMORY) + 0x780 + 28
    distance = words[at] & 0x03FFFFFC
    assert words[at] >> 26 == 18 and (at + distance - (1 << 26)) & 0xFFFFFFFF == 0xC38
    assert at + 4 not in words


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mr %r11, %r1", "stw %r1, 0(%r10)"),  # a store by a physical address
        ("mr %r11, %r1", "lwz %r11, 0(%r10)"),  # a load that no addition follows
        ("mr %r11, %r1", "2: mr %r11, %r1\nb 2b"),  # not a straight line
        ("addis %r10, %r10, 0xc000 - 0x10000", "addis %r10, %r10, 0x1000"),  # not the linear mapping
        ("ori %r11, %r11, 0x1032", "ori %r11, %r11, 0x1002"),  # stays untranslated
        ("ori %r11, %r11, 0x1032", "ori %r11, %r11, 0x9032"),  # with interrupts
        ("mtspr 26, %r10", "mtspr 26, %r3"),  # goes who knows where
        ("mfspr %r9, 27\n", "nop\nmfspr %r9, 27\n"),  # SRR1 is not read at once
    ],
)
def test_any_other_handler_stays(tmp_path: Path, old: str, new: str) -> None:
    code = HANDLER.format(distance="0xc000 - 0x10000")
    assert old in code
    assert patched(tmp_path, code.replace(old, new)).handler is None


# An image's generated accesses; a quirk; what a trap does in fewer instructions, and a call not at all
@pytest.mark.parametrize(
    "code", ["mfdcr %r3, 0xc0", "mtspr 990, %r3", "rfci", "mtspr 982, %r3", "mtspr 944, %r3", "mtspr 1012, %r3", "mfspr %r3, 1010"]
)
def test_what_is_rare_stays(tmp_path: Path, code: str) -> None:
    done = patched(tmp_path, code)
    assert [s.new for s in done.sites] == [None]
    assert done.sites[0].how.startswith("traps: ")
    assert done.words == []


def test_unprivileged_instructions_are_left_alone(tmp_path: Path) -> None:
    assert patched(tmp_path, "mflr %r3\nmftb %r4\nmfspr %r5, 260\nmtctr %r6\nsc\nlwz %r3, 0(%r3)").sites == []


def test_save_and_disable_is_one_store(tmp_path: Path) -> None:
    done = patched(tmp_path, "mfmsr %r31\nrlwinm %r9, %r31, 0, 17, 15\nmtmsr %r9")
    assert done.sites[1].new == 0x9120F044
    assert done.stub_bytes == 0x800  # the table of calls


@pytest.mark.parametrize(
    "code",
    [
        "mfmsr %r31\nrlwinm %r9, %r31, 0, 17, 15\n2: mtmsr %r9\nb 2b",  # somebody else comes here
        "mfmsr %r31\nrlwinm %r9, %r31, 0, 17, 15\nlwz %r9, 0(%r3)\nmtmsr %r9",  # another value
        "mfmsr %r31\nwrteei 1\nrlwinm %r9, %r31, 0, 17, 15\nmtmsr %r9",  # the MSR changed between
        "mfmsr %r31\nrlwinm %r9, %r31, 0, 16, 14\nmtmsr %r9",  # another bit
    ],
)
def test_a_value_that_may_be_another_goes_through_a_stub(tmp_path: Path, code: str) -> None:
    done = patched(tmp_path, code)
    site = next(s for s in done.sites if s.instruction == "mtmsr")
    assert site.stub is not None


def test_a_stub_comes_back_and_says_what_the_kernel_needs(tmp_path: Path) -> None:
    done = patched(tmp_path, "nop\nmtmsr %r30\nli %r12, 0")
    site, words = done.sites[0], stub_of(done)
    assert site.stub == BASE + area_of(MEMORY) + 0x800
    assert site.new == 0x48000000 | site.stub - site.address
    back = next(i for i, w in enumerate(words) if w >> 26 == 18)
    offset = words[back] & 0x03FFFFFC
    assert (site.stub + 4 * back + offset - (1 << 26)) & 0xFFFFFFFF == site.address + 4
    assert struct.unpack(">i", struct.pack(">I", words[13]))[0] == site.address - site.stub
    assert words[14] == site.old
    commit, register, saved = words[15] & 0xFF, words[15] >> 8 & 31, words[15] >> 16
    assert words[commit] == 0x93C0F044  # stw r30, MSR
    assert (register, saved) == (12, 0)  # r12 is dead: the next instruction writes it


def test_without_a_dead_register_one_is_saved(tmp_path: Path) -> None:
    done = patched(tmp_path, "mtmsr %r30\nbl 2f\n2: nop")
    words = stub_of(done)
    assert words[0] == 0x9160F050  # stw r11, scratch
    assert words[15] >> 16 == 1
    assert 0x8160F050 in words


def test_images_that_cannot_have_stubs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PrevirtError, match="1 GiB"):
        patch_elf(built(tmp_path, "nop", 0xC0100000), MEMORY)
    elf = built(tmp_path, "nop")
    elf.write_bytes(elf.read_bytes()[:60])
    with pytest.raises(PrevirtError, match="damaged|no executable"):
        patch_elf(elf, MEMORY)
    assert area_of(MEMORY) == MEMORY - AREA
    assert area_of(64 << 20) == MEMORY - AREA


def damaged(elf: bytes, seed: int) -> bytes:
    """One to four bytes of its headers are others; now and then it ends early."""
    dice = random.Random(seed)
    data = bytearray(elf)
    sections = int.from_bytes(elf[32:36], "big")
    for _ in range(dice.randint(1, 4)):
        data[dice.choice([dice.randrange(52), 52 + dice.randrange(64), dice.randrange(sections, len(data))])] = dice.choice(
            [0, 1, 2, 127, 255]
        )
    return bytes(data[: dice.randrange(len(data))] if not seed % 16 else data)


def test_damaged_files_are_refused_with_a_reason(tmp_path: Path) -> None:
    """By whoever reads a guest's kernel, and by no other exception than its own."""
    elf = built(tmp_path, "mfspr %r5, 26\nmtspr 273, %r7").read_bytes()
    path = tmp_path / "damaged.elf"
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, limits[1]))
    try:
        for seed in range(500):
            path.write_bytes(damaged(elf, seed))
            with contextlib.suppress(PrevirtError):
                patch_elf(path, MEMORY)
            with contextlib.suppress(ImageError):
                load(path, 0)
            has_pvh_note(path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
