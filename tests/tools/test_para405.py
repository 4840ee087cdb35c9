# SPDX-License-Identifier: MIT
"""The paravirtualized Linux: our header makes of privileged instructions what the hypervisor's register page holds, and a Linux whose
source is not as expected is refused."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from amalgam.artifacts import para405
from amalgam.artifacts.error import ArtifactError
from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[2]
CROSS = "powerpc-linux-gnu-gcc"

# As in Linux, as far as the changes look.
TREE = {
    "arch/powerpc/kernel/head_40x.S": "finish:\n\ttlbwe\tr11, r9, TLB_DATA\t/* lo */\n\ttlbwe\tr10, r9, TLB_TAG\n\n\tmtspr\tSPRN_PID, r12\n\trfi\t/* out */\n\tb\t.\nother:\n\trfi\n",
    "arch/powerpc/include/asm/hw_irq.h": "if (IS_ENABLED(CONFIG_BOOKE))\nif (IS_ENABLED(CONFIG_BOOKE))\nif (IS_ENABLED(CONFIG_BOOKE_OR_40x))\n",
    "arch/powerpc/mm/pgtable_32.c": "\tif (!v_block_mapped((unsigned long)_sinittext)) {\n",
    "arch/powerpc/kernel/setup-common.c": "void setup(void)\n{\n\tregister_early_udbg_console();\n}\n",
    "arch/powerpc/include/asm/dcr-native.h": "#define mfdcr(rn) 1\nextern spinlock_t dcr_ind_lock;\n",
    "arch/powerpc/platforms/40x/Makefile": "obj-y += simple.o\n",
    "arch/powerpc/platforms/40x/Kconfig": "config HOTFOOT\n",
}


def tree(folder: Path, **texts: str) -> Path:
    for name, text in (TREE | texts).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("large_pages", [True, False])
def test_only_what_is_meant_is_changed(tmp_path: Path, large_pages: bool) -> None:
    """What is wrong with large pages is a mending that a kernel with small ones does not get."""
    para405.change(tree(tmp_path), large_pages)
    name = "arch/powerpc/mm/pgtable_32.c"
    assert ((tmp_path / name).read_text(encoding="utf-8") == TREE[name]) is not large_pages
    head = (tmp_path / "arch/powerpc/kernel/head_40x.S").read_text(encoding="utf-8")
    assert head == f"finish:\n{para405.MISS_DONE}\tb\t.\nother:\n\trfi\n"
    assert "\tamalgam_early_console();\n\tregister_early" in (tmp_path / "arch/powerpc/kernel/setup-common.c").read_text(encoding="utf-8")
    assert (tmp_path / "arch/powerpc/platforms/40x/Makefile").read_text(encoding="utf-8").endswith("amalgam.o\n")
    assert (tmp_path / "arch/powerpc/platforms/40x/amalgam.c").is_file()


@pytest.mark.parametrize("times", [0, 2])
def test_another_linux_is_refused(tmp_path: Path, times: int) -> None:
    name = "arch/powerpc/kernel/setup-common.c"
    with pytest.raises(ArtifactError, match=f"setup-common.c of this Linux has {times} places"):
        para405.change(tree(tmp_path, **{name: TREE[name] * times}), large_pages=True)


def words(code: str, folder: Path) -> list[int]:
    """Assemble with our header before it, as the kernel's build does."""
    assert shutil.which(CROSS), "./amalgam setup installs it"
    (folder / "asm").mkdir(exist_ok=True)
    (folder / "asm/amalgam.h").write_bytes((para405.HERE / "amalgam.h").read_bytes())
    subprocess.run([sys.executable, ROOT / "tools/amalgam/api/generate.py", "guest", folder / "asm/amalgam_calls.h", "ppc405"], check=True)
    (folder / "code.S").write_text("#define r9 %r9\n#define r5 %r5\n" + code + "\n", encoding="ascii")
    command = [
        CROSS,
        "-mcpu=405",
        "-mregnames",
        "-D__ASSEMBLY__",
        f"-I{folder}",
        "-include",
        "asm/amalgam.h",
        "-c",
        "code.S",
        "-o",
        "code.o",
    ]
    subprocess.run(command, cwd=folder, check=True)
    with (folder / "code.o").open("rb") as file:
        return [word for (word,) in struct.iter_unpack(">I", ELFFile(file).get_section_by_name(".text").data())]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Displacements of the register page's members, by the hypervisor's own header."""
    work = tmp_path_factory.mktemp("page")
    members = [
        "srr0",
        "srr1",
        "sprg[3]",
        "sprg[4]",
        "sprg[5]",
        "sprg[6]",
        "sprg[7]",
        "esr",
        "dear",
        "evpr",
        "pid",
        "msr",
        "attention",
        "scratch",
    ]
    values = ", ".join(f"offsetof(struct regpage, {m})" for m in members)
    code = f'#include <stddef.h>\n#include <arch/vm.h>\nconst unsigned members[] __attribute__((section("at"))) = {{ {values} }};\n'
    (work / "page.c").write_text(code, encoding="ascii")
    folders = [f"-I{ROOT}/kernel/include", f"-I{ROOT}/kernel/arch/ppc405/include"]
    subprocess.run([CROSS, "-std=gnu11", "-ffreestanding", *folders, "-c", "page.c", "-o", "page.o"], cwd=work, check=True)
    with (work / "page.o").open("rb") as file:
        found = [v for (v,) in struct.iter_unpack(">I", ELFFile(file).get_section_by_name("at").data())]
    return {m: v - 0x1000 & 0xFFFF for m, v in zip(members, found, strict=True)}


LOADS = {"mfspr r9, 26": "srr0", "mfspr r9, 0x1b": "srr1", "mfspr r9, 275": "sprg[3]", "mfspr r9, 980": "esr", "mfspr r9, 981": "dear",
         "mfspr r9, 982": "evpr", "mfspr r9, 945": "pid", "mfmsr r9": "msr"}  # fmt: skip
STORES = {"mtspr 26, r5": "srr0", "mtspr 27, r5": "srr1", "mtspr 0x115, r5": "sprg[5]", "mtspr 980, r5": "esr", "mtspr 981, r5": "dear"}


def test_what_the_register_page_holds_is_loaded_and_stored_there(tmp_path: Path, page: dict[str, int]) -> None:
    assert words("\n".join([*LOADS, *STORES]), tmp_path) == [
        *(32 << 26 | 9 << 21 | page[m] for m in LOADS.values()),
        *(36 << 26 | 5 << 21 | page[m] for m in STORES.values()),
    ]


def test_other_registers_stay_as_they_are(tmp_path: Path) -> None:
    """Those that the page shows for reading only, those that it has not, and those that need no privilege."""
    assert words("mtspr 945, r5\nmtspr 982, r5\nmfspr r9, 984\nmfspr r9, 268\nmtspr 1, r5", tmp_path) == [
        0x7CB1EBA6,
        0x7CB6F3A6,
        0x7D38F2A6,
        0x7D2C42A6,
        0x7CA103A6,
    ]


def test_a_return_leaves_r11_where_the_call_finds_it(tmp_path: Path, page: dict[str, int]) -> None:
    assert words("rfi", tmp_path) == [36 << 26 | 11 << 21 | page["scratch"], 0x39600000, 0x44000002]


def test_a_tlb_miss_ends_with_its_words_where_the_call_finds_them(tmp_path: Path, page: dict[str, int]) -> None:
    """After the call all registers are those of the code that missed: r9 to r12 come from where the handler put them."""
    found = words("GUEST_TLB_MISS_DONE 277, 278, 279, 276", tmp_path)
    store, load = lambda r, m, n=0: 36 << 26 | r << 21 | page[m] + 4 * n, lambda r, m: 32 << 26 | r << 21 | page[m]  # noqa: E731
    assert found[:4] == [store(9 + i, "scratch", 1 + i) for i in range(4)]
    assert found[4:6] == [0x7D880120, load(11, "sprg[7]")]  # mtcrf 0x80, r12
    assert found[6:10] == [store(11, "scratch"), load(9, "sprg[5]"), load(10, "sprg[6]"), load(12, "sprg[4]")]
    number = re.search(r"name: tlb_load\n\s+number: (\d+)", para405.CALLS.read_text(encoding="utf-8"))
    assert number and found[10:] == [0x39600000 | int(number[1]), 0x44000002]
