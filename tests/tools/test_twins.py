# SPDX-License-Identifier: MIT
"""What joins a kernel's two back ends (tools/amalgam/build/twins.py), and who reads its names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.binary import symtab
from amalgam.build import layers, twins

FIRST = ["\n", "run.o:\n", "00000000 T vcpu_run\n", "00000000 T vcpu_kick__amdv\n", "         U io_access\n", "00000000 D table\n"]
OTHER = ["00000000 T vcpu_run__vtx\n", "00000000 T hal_halt\n", "00000000 T vmx_fast\n"]
ONCE = ["00000000 T io_access\n", "         U vcpu_kick\n", "         U hal_create\n"]


def test_each_name_of_the_first_set_has_one_of_the_other() -> None:
    assert twins.header(FIRST).splitlines() == [
        "#define table table__vtx",
        "#define vcpu_kick vcpu_kick__vtx",
        "#define vcpu_run vcpu_run__vtx",
    ]


def test_a_jump_leads_to_the_first_set_and_the_table_says_where_else(tmp_path: Path) -> None:
    """By the assembler: five bytes each, as vmx/either.c writes them; of a function that is freed after boot beside it."""
    text = twins.jumps([*FIRST, "00000000 T hal_create__amdv\n"], OTHER, ONCE, ["vcpu_kick"], ["hal_create"])
    made = tmp_path / "twins.o"
    subprocess.run(["as", "-o", made], input=text + "\n", text=True, check=True)
    shown = subprocess.run(
        ["objdump", "-dr", "-s", "-j", ".text.twins", "-j", ".init.text", made], capture_output=True, text=True, check=True
    ).stdout
    assert shown.count("e9 00 00 00 00") == 2 and "vcpu_kick__amdv-0x4" in shown and "hal_create__amdv-0x4" in shown
    table = subprocess.run(["objdump", "-r", "-j", ".init.rodata", made], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in table.splitlines() if "R_X86_64_32" in line] == [
        "hal_create",
        "hal_create__vtx",
        "vcpu_kick",
        "vcpu_kick__vtx",
    ]


@pytest.mark.parametrize(
    ("once", "listed", "fault"),
    [
        ([*ONCE, "U vcpu_run\n"], ["vcpu_kick"], "called from outside of a set, and not listed: vcpu_run"),
        (ONCE, ["vcpu_kick", "vcpu_halt"], "listed, and not called from outside of a set: vcpu_halt"),
        ([*ONCE, "U vcpu_halt\n"], ["vcpu_kick", "vcpu_halt"], "listed, and not of the set: vcpu_halt"),
    ],
)
def test_a_list_that_is_not_what_is_called_ends_the_build(once: list[str], listed: list[str], fault: str) -> None:
    """The first would be AMD-V's function on an Intel."""
    with pytest.raises(ValueError, match=fault):
        twins.jumps(FIRST, OTHER, once, listed, [])


@pytest.mark.parametrize(
    ("first", "once", "alone", "fault"),
    [
        (FIRST, [*ONCE, "U hal_halt\n"], [], "called from outside of it, and not listed: hal_halt"),
        ([*FIRST, "U vmx_fast\n"], ONCE, ["hal_halt"], "called from outside of it, and not listed: vmx_fast"),
        (FIRST, ONCE, ["hal_halt"], "not called from outside of it: hal_halt"),
    ],
)
def test_a_name_of_the_other_set_alone_is_called_only_if_it_is_listed(
    first: list[str], once: list[str], alone: list[str], fault: str
) -> None:
    """It would be VT-x' function on an AMD."""
    with pytest.raises(ValueError, match=fault):
        twins.jumps(first, OTHER, once, [], [], alone)


def test_an_object_of_the_first_set_is_compiled_alike_whoever_needs_it(tmp_path: Path) -> None:
    """The names of all of them are an input of each object of the other set, some of which are compiled for speed. Nothing is compiled here."""
    words = ["make", "-n", "-C", paths.ROOT / "kernel", "SHAPE=pc-both", f"OUT={tmp_path}", "V=1"]
    compiled = set()
    for target in ("other/vm/run.c.o", "vm/stats.c.o"):
        output = subprocess.run([*words, tmp_path / target], capture_output=True, text=True, check=True, env={"PATH": os.defpath}).stdout
        compiled |= {line for line in output.splitlines() if line.endswith(f"-o {tmp_path}/vm/stats.c.o")}
    assert len(compiled) == 1 and " -Oz " in compiled.pop()


def test_the_floors_see_both_sets_and_reports_have_plain_names() -> None:
    lines = [
        "out/vm/run.c.o: T vcpu_kick__amdv",
        "out/other/vm/run.c.o: T vcpu_kick__vtx",
        "out/other/vm/run.c.o: U vcpu_skip__vtx",
        "out/other/arch/x86/vmx/event.c.o: T vcpu_skip__vtx",
        "out/vm/vm.c.o: U vcpu_kick",
    ]
    uses, overrides = layers.read_symbols("\n".join(lines), "out")
    assert uses == {
        layers.Use("vm/run.c", "arch/x86/vmx/event.c", "vcpu_skip"),
        layers.Use("vm/vm.c", "vm/run.c", "vcpu_kick"),
    }
    assert not overrides
    assert [symtab.COPY.sub("", name) for name in ("f__vtx", "f__amdv.isra.0", "f__vtx.cold")] == ["f", "f", "f.cold"]


def test_each_list_of_the_tree_names_each_function_once() -> None:
    words = (paths.ROOT / "kernel" / "vm" / "files.mk").read_text(encoding="utf-8").replace("\\\n", " ")
    names = [name for line in words.splitlines() if line.startswith("twin-") for name in line.split(":=")[1].split()]
    assert len(names) == len(set(names)) > 20
