# SPDX-License-Identifier: MIT
"""Linux for a Pentium of 1994 as a guest in ring 1, built once from Debian's kernel source."""

from pathlib import Path

from amalgam import proc

from . import apt, para586
from .linuxbuild import SOURCE, configured, kernel_source, make, need, unpack
from .store import Log, key, publish, recipe

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "guests/linux586"
CROSS = "i686-linux-gnu-"
COMPILER = (CROSS + "gcc", "gcc-i686-linux-gnu")
TARGET = ("ARCH=i386", f"CROSS_COMPILE={CROSS}")
# Not needed to build this configuration, and most of the tree: only their Kconfig files are read.
UNUSED = (
    *("drivers/gpu", "drivers/net", "drivers/media", "drivers/staging", "drivers/infiniband", "drivers/scsi", "sound"),
    *("fs/xfs", "fs/btrfs", "tools/perf", "tools/testing"),
    *(f"arch/{name}" for name in ("arm", "arm64", "powerpc", "mips", "s390", "sparc", "riscv", "m68k")),
)
KERNEL_STEPS = 800  # lines that make prints, to show how far it is


def kernel(cache: Path, log: Log, para: bool = True) -> Path:
    """vmlinux without symbols, in the cache; not `para`: of the same configuration, for a bare board."""
    config = HERE / "kernel.config"
    version = apt.debian12(cache).candidate(SOURCE)[0]
    name = f"linux586-{'para-' if para else ''}{key(recipe(__file__), config, version, *(para586.inputs() if para else ()))}"

    def build(target: Path):
        for program, package in (COMPILER, ("flex", "flex"), ("bison", "bison"), ("bc", "bc")):
            need(program, package)
        tree = target.parent / "source"
        log(f"unpacking {SOURCE} {version}")
        excluded = [f"--exclude={SOURCE}/{part}/**/*.{kind}" for part in UNUSED for kind in "chS"]
        unpack(kernel_source(cache, log), tree, "--wildcards", *excluded, f"--exclude={SOURCE}/Documentation/*/*.rst")
        words = [f"CC={para586.add(tree, target.parent / 'para', COMPILER[0])}"] if para else []
        make(tree, "configuring Linux for the Pentium", log, 0, TARGET, *words, f"KCONFIG_ALLCONFIG={config}", "allnoconfig")
        configured(tree, config)
        make(tree, "building Linux for the Pentium (once, some minutes)", log, KERNEL_STEPS, TARGET, *words, "vmlinux")
        target.mkdir()
        proc.run([CROSS + "objcopy", "-S", tree / "vmlinux", target / "vmlinux"], "stripping vmlinux")
        for kept in (".config", "System.map"):
            (tree / kept).replace(target / kept)

    return publish(Path(cache), name, build) / "vmlinux"
