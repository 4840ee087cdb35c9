# SPDX-License-Identifier: MIT
"""The tables for backtraces, and the check that what stays calls nothing that is freed after boot."""

from __future__ import annotations

import re

import pytest
from amalgam.binary import symtab

NM = """\
ffffffff80100000 R image_start
ffffffff80100000 T caller
ffffffff80101000 T init_start
ffffffff80101000 T at_boot
ffffffff80102000 R init_end
"""
FRAMES = """\
00000018 0000000000000014 00000000 FDE cie=00000000 pc=ffffffff80100000..ffffffff80100040
   LOC           CFA      rbx   ra
ffffffff80100000 rsp+8    u     c-8
ffffffff80100001 rsp+16   c-16  c-8
ffffffff80100008 rsp+48   c-16  c-8
ffffffff80100020 rbp+16   c-16  c-8
"""
CALLS = """\
Disassembly of section .text:
ffffffff80100000 <caller>:
ffffffff80100002:\te8 01 02 03 04 \tcall   ffffffff80100200 <other>
ffffffff80100008:\tff d0 \tcall   *%rax
ffffffff80100010:\te8 01 02 03 04 \tcall   ffffffff80100200 <other>
ffffffff80100022:\te8 01 02 03 04 \tcall   ffffffff80100200 <other>
ffffffff80100050:\te8 01 02 03 04 \tcall   ffffffff80100200 <other>
"""
MISMATCH = "ffffffff80100030:\te8 01 02 03 04 \tcall   ffffffff80101000 <at_boot>\n"


def test_each_call_knows_how_far_the_return_address_is() -> None:
    functions, calls = symtab.read((NM + FRAMES + CALLS).splitlines(keepends=True))
    assert functions == {0: "caller", 0x1000: "at_boot"}
    assert calls == [(0x6, 1), (0x9, 5), (0x26, symtab.UNKNOWN), (0x54, symtab.NO_CALLER)]


def test_copies_of_a_function_have_its_name() -> None:
    copies = "".join(
        f"ffffffff801000{at:02x} t {name}\n" for at, name in ((8, "f.lto_priv.0"), (16, "f.isra.0.constprop.1"), (24, "f.cold"))
    )
    functions, _ = symtab.read((NM + copies).splitlines(keepends=True))
    assert [functions[at] for at in (8, 16, 24)] == ["f", "f", "f.cold"]


RISCV = """\
80100000 R image_start
80100000 T caller
80101000 T init_start
80101000 T at_boot
80102000 R init_end
00000018 00000014 00000000 FDE cie=00000000 pc=80100000..80100040
   LOC           CFA      ra
80100000 sp+0     u
80100002 sp+16    c-4
Disassembly of section .text:
80100000 <caller>:
80100004:\t1fc000ef          \tjal\t80100200 <other>
80100008:\t9702                \tjalr\ta4
8010000a:\t1fc0006f          \tj\t80100206 <other+0x6>
80100050:\t1fc000ef          \tjal\t80100200 <other>
"""


def test_calls_of_risc_v_have_two_lengths_and_a_word_its_own() -> None:
    _, calls = symtab.read(RISCV.splitlines(keepends=True))
    assert calls == [(0x7, 3), (0x53, symtab.NO_CALLER)]
    with pytest.raises(SystemExit, match="caller calls at_boot"):
        symtab.read((RISCV + "8010000e:\t1fc0006f          \tbeqz\ta0,80101000 <at_boot>\n").splitlines(keepends=True))


def test_calls_without_any_frame_are_refused() -> None:
    """As when a compiler writes .eh_frame, which no kernel keeps: a fault would name two functions and stop."""
    with pytest.raises(SystemExit, match="has no .debug_frame"):
        symtab.read((NM + CALLS).splitlines(keepends=True))


def test_what_stays_must_not_call_what_is_freed() -> None:
    with pytest.raises(SystemExit, match="caller calls at_boot"):
        symtab.read((NM + FRAMES + CALLS + MISMATCH).splitlines(keepends=True))


def test_what_is_not_freed_may_be_called() -> None:
    functions, _ = symtab.read((NM + FRAMES + CALLS + MISMATCH).splitlines(keepends=True), init_stays=True)
    assert functions[0x1000] == "at_boot"


def test_boot_may_call_boot_and_so_may_the_function_that_ends_it_and_a_header_is_no_code() -> None:
    lines = NM + FRAMES + CALLS
    into_init = lines.replace("section .text:", "section .init.text:")
    for ours in (into_init, lines.replace("<caller>:", "<core_start>:"), lines.replace("<caller>:", "<image_start>:")):
        symtab.read((ours + MISMATCH).splitlines(keepends=True))


def test_a_frame_that_the_table_cannot_hold_is_an_error() -> None:
    with pytest.raises(SystemExit, match="254 words"):
        symtab.read((NM + FRAMES.replace("rsp+48 ", "rsp+2040")).splitlines(keepends=True))


def test_a_kernel_at_low_addresses_is_read_the_same() -> None:
    """objdump leaves out leading zeros, but for the functions' own lines."""

    def low(text: str) -> str:
        return re.sub(r"^(\d+ <)", r"0000000000\1", text.replace("ffffffff80", ""), flags=re.M)

    high, frames = NM + FRAMES + CALLS, (NM + FRAMES).replace("ffffffff80", "0000000000")
    assert symtab.read((frames + low(CALLS)).splitlines(keepends=True)) == symtab.read(high.splitlines(keepends=True))
    with pytest.raises(SystemExit, match="caller calls at_boot"):
        symtab.read((frames + low(CALLS + MISMATCH)).splitlines(keepends=True))
