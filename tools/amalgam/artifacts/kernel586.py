# SPDX-License-Identifier: MIT
"""Linux for a Pentium of 1994 as a guest in ring 1, built once from Debian's kernel source."""

from pathlib import Path

from amalgam import proc

from . import apt, para586
from .linuxbuild import SOURCE, configured, make, need, unpack
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
KERNEL_STEPS = 1000  # lines that make prints, to show how far it is


def packed(cache: Path, log: Log, source: str) -> Path:
    """The packed source of a package, installed or in the cache."""
    name = f"usr/src/{source}.tar.xz"
    installed = Path("/") / name
    return installed if installed.is_file() else apt.debian12(cache).unpacked(cache, source, log) / name


def kernel(cache: Path, log: Log, para: bool = True, source: str = SOURCE) -> Path:
    """vmlinux without symbols, in the cache; not `para`: with a PC's console, for a bare board, with bzImage beside it."""
    configs = [HERE / "kernel.config", *([] if para else [HERE / "native.config"])]
    version = apt.debian12(cache).candidate(source)[0]
    name = f"linux586-{'para-' if para else ''}{key(recipe(__file__), *configs, version, *(para586.inputs() if para else ()))}"

    def build(target: Path):
        for program, package in (COMPILER, ("flex", "flex"), ("bison", "bison"), ("bc", "bc")):
            need(program, package)
        tree, config = target.parent / "source", target.parent / "config"
        log(f"unpacking {source} {version}")
        excluded = [f"--exclude={source}/{part}/**/*.{kind}" for part in UNUSED for kind in "chS"]
        unpack(packed(cache, log, source), tree, "--wildcards", *excluded, f"--exclude={source}/Documentation/*/*.rst")
        words = [f"CC={para586.add(tree, target.parent / 'para', COMPILER[0])}"] if para else []
        config.write_text("".join(part.read_text(encoding="utf-8") for part in configs), encoding="utf-8")
        make(tree, "configuring Linux for the Pentium", log, 0, TARGET, *words, f"KCONFIG_ALLCONFIG={config}", "allnoconfig")
        configured(tree, config)
        image = "vmlinux" if para else "bzImage"
        make(tree, "building Linux for the Pentium (once, some minutes)", log, KERNEL_STEPS, TARGET, *words, image)
        target.mkdir()
        proc.run([CROSS + "objcopy", "-S", tree / "vmlinux", target / "vmlinux"], "stripping vmlinux")
        for kept in (".config", "System.map", *(() if para else ("arch/x86/boot/bzImage",))):
            (tree / kept).replace(target / Path(kept).name)

    return publish(Path(cache), name, build) / "vmlinux"


def bare(cache: Path, log: Log) -> Path:
    """The same Linux for a bare board, as its boot loaders take it."""
    return kernel(cache, log, para=False).parent / "bzImage"
