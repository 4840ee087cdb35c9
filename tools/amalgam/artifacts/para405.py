# SPDX-License-Identifier: MIT
"""Linux for the 405 as a paravirtualized guest: our files (guests/linux40x/para) into its source, a few places changed.

Most of the work is a header that the compiler is told to read before every file. What no macro reaches is replaced here, and
each place must be there as often as expected: another version of Linux is refused, not half changed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from amalgam import proc

from .error import ArtifactError

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "guests/linux40x/para"
CALLS = ROOT / "kernel/api/calls.yaml"
PLATFORM = "arch/powerpc/platforms/40x"
HEADER = "asm/amalgam.h"
FLAGS = [f"KCFLAGS=-include {HEADER}", f"KAFLAGS=-include {HEADER}"]
OPTION = "CONFIG_AMALGAM_GUEST=y\n"

DCRS = """#undef mfdcr
#undef mtdcr
#define mfdcr(rn) ((unsigned int)amalgam_insn(AMALGAM_MFDCR, (rn), 0))
#define mtdcr(rn, v) ((void)amalgam_insn(AMALGAM_MTDCR, (rn), (v)))
"""
MISS_DONE = "\tGUEST_TLB_MISS_DONE SPRN_SPRG_SCRATCH4, SPRN_SPRG_SCRATCH5, SPRN_SPRG_SCRATCH6, SPRN_SPRG_SCRATCH3\n"
# (file, what is there, how often, what comes in its place)
CHANGES = (
    # A TLB miss: from the first of its two writes to its return.
    ("arch/powerpc/kernel/head_40x.S", r"^\ttlbwe\s+r11, *r9, *TLB_DATA\b(?:.*\n)*?\trfi\b.*\n", 1, MISS_DONE),
    # Interrupts off and on: by wrtee, which a 405 has as well as a Book E processor.
    ("arch/powerpc/include/asm/hw_irq.h", r"\bIS_ENABLED\(CONFIG_BOOKE\)", 2, "IS_ENABLED(CONFIG_BOOKE_OR_40x)"),
    ("arch/powerpc/kernel/setup-common.c", r"^\tregister_early_udbg_console\(\);\n", 1, "\tamalgam_early_console();\n\\g<0>"),
    ("arch/powerpc/include/asm/dcr-native.h", r"^extern spinlock_t dcr_ind_lock;\n", 1, f"{DCRS}\\g<0>"),
    (f"{PLATFORM}/Makefile", r"\Z", 1, "obj-$(CONFIG_AMALGAM_GUEST) += amalgam.o\n"),
    (f"{PLATFORM}/Kconfig", r"\Z", 1, '\nsource "arch/powerpc/platforms/40x/Kconfig.amalgam"\n'),
)
# What is wrong with large pages (kernel405.py, _vectors_survive) is not done at all.
LARGE_PAGES = (("arch/powerpc/mm/pgtable_32.c", r"!v_block_mapped\(\(unsigned long\)_sinittext\)", 1, "false"),)


def inputs() -> list[Path]:
    """What such a kernel is made of beside Linux and its configuration."""
    return [*sorted(HERE.iterdir()), CALLS, Path(__file__)]


def change(tree: Path, large_pages: bool) -> None:
    """Put our files into an unpacked source, whose configuration maps its memory with `large_pages` or with small ones."""
    headers = tree / "arch/powerpc/include/asm"
    (headers / "amalgam.h").write_bytes((HERE / "amalgam.h").read_bytes())
    (tree / PLATFORM / "amalgam.c").write_bytes((HERE / "amalgam.c").read_bytes())
    (tree / PLATFORM / "Kconfig.amalgam").write_bytes((HERE / "Kconfig").read_bytes())
    proc.run(
        [sys.executable, ROOT / "tools/amalgam/api/generate.py", "guest", headers / "amalgam_calls.h", "ppc405"],
        "writing the calls' header",
    )
    for name, there, times, instead in CHANGES + (LARGE_PAGES if large_pages else ()):
        text, found = re.subn(there, instead, (tree / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
        if found != times:
            raise ArtifactError(
                f"{name} of this Linux has {found} places for a change that is meant for {times}: see {Path(__file__).name}"
            )
        (tree / name).write_text(text, encoding="utf-8")
