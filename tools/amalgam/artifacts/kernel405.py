# SPDX-License-Identifier: MIT
"""Linux for the 405, built once from Debian's kernel source: Debian has no PowerPC packages of 32 bits any more."""

from pathlib import Path

from elftools.elf.elffile import ELFFile

from . import apt, para405
from .error import ArtifactError
from .linuxbuild import SOURCE, configured, kernel_source, make, need, unpack
from .store import Log, key, publish, recipe

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "guests/linux40x"
CROSS = "powerpc-linux-gnu-"
TARGET = ("ARCH=powerpc", f"CROSS_COMPILE={CROSS}")
# Not needed to build this configuration, and most of the tree: only their Kconfig files are read.
UNUSED = (
    "drivers/gpu",
    "drivers/net",
    "drivers/media",
    "drivers/staging",
    "drivers/infiniband",
    "drivers/scsi",
    "sound",
    "fs/xfs",
    "fs/btrfs",
    "tools/perf",
    "tools/testing",
    "arch/arm",
    "arch/arm64",
    "arch/x86",
    "arch/mips",
    "arch/s390",
    "arch/sparc",
    "arch/riscv",
    "arch/m68k",
)
KERNEL_STEPS = 990  # lines that make prints, to show how far it is


def kernel(cache: Path, log: Log, para: bool = False, defaults: bool = False) -> Path:
    """vmlinux, in the cache; `para`: as a paravirtualized guest (para405.py), from the same configuration; `defaults`: what
    kernel.config does not name is as Linux has it by default (defaults.config), STRICT_KERNEL_RWX and PPC_KUAP among it."""
    configs = [HERE / "kernel.config", *([HERE / "defaults.config"] if defaults else [])]
    version = apt.debian12(cache).candidate(SOURCE)[0]
    inputs = [*configs, version, *(para405.inputs() if para else ())]
    folder = f"linux40x-{'defaults-' if defaults else ''}{'para-' if para else ''}{key(recipe(__file__), *inputs)}"
    what = f"building Linux for the 405{', by its defaults' if defaults else ''}{', paravirtualized' if para else ''}"

    def build(target: Path):
        for program, package in ((CROSS + "gcc", "gcc-powerpc-linux-gnu"), ("flex", "flex"), ("bison", "bison"), ("bc", "bc")):
            need(program, package)
        tree = target.parent / "source"
        log(f"unpacking {SOURCE} {version}")
        excluded = [f"--exclude={SOURCE}/{part}/**/*.{kind}" for part in UNUSED for kind in "chS"]
        unpack(kernel_source(cache, log), tree, "--wildcards", *excluded, f"--exclude={SOURCE}/Documentation/*/*.rst")
        wanted = target.parent / "wanted.config"
        wanted.write_text("".join(config.read_text() for config in configs) + (para405.OPTION if para else ""))
        if para:
            para405.change(tree, large_pages=not defaults)
        base = "alldefconfig" if defaults else "allnoconfig"
        make(tree, "configuring Linux for the 405", log, 0, TARGET, f"KCONFIG_ALLCONFIG={wanted}", base)
        configured(tree, wanted)
        make(tree, f"{what} (once, some minutes)", log, KERNEL_STEPS, TARGET, *(para405.FLAGS if para else ()), "vmlinux")
        target.mkdir()
        for name in ("vmlinux", ".config"):
            (tree / name).replace(target / name)
        if not para and not defaults:
            _vectors_survive(target / "vmlinux")

    return publish(Path(cache), folder, build) / "vmlinux"


def _vectors_survive(vmlinux: Path):
    """Without STRICT_KERNEL_RWX, Linux 6.1 maps its memory with large pages here, and then marks its initialization code as data
    as if by small ones: it takes physical address 0 for a page table and changes the words at 4 * page number. That is among its
    exception handlers, each 0x100 apart and less than 0x70 long; a build where it hits one dies in its first program."""
    with vmlinux.open("rb") as file:
        symbols = {s.name: s["st_value"] for s in ELFFile(file).get_section_by_name(".symtab").iter_symbols()}
    first, last = (symbols[name] - symbols["_stext"] >> 12 for name in ("_sinittext", "_einittext"))
    if 4 * first % 0x100 < 0x70 or 4 * last % 0x100 < 0x70:
        raise ArtifactError(
            f"this build of Linux overwrites its handlers at {4 * first:#x} to {4 * last:#x}: add or drop an option of kernel.config"
        )
