# SPDX-License-Identifier: MIT
"""A CD image with GRUB that boots kernel and system by multiboot2, in QEMU and on a real PC."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from amalgam import paths, proc
from amalgam.build.kernel import build_kernel
from amalgam.ui import Progress

GRUB = """set timeout=0
serial --unit=0 --speed=115200
terminal_output console serial
menuentry "Amalgam: {name}" {{
    multiboot2 /boot/amalgam.elf
    module2 /boot/system.img
{kernels}    boot
}}
"""
KERNEL = "    module2 /boot/{name}.elf\n"
LEAN = ("--install-modules=multiboot2 normal serial terminal", "--fonts=", "--locales=", "--themes=")
"""What GRUB needs for that menu on a PC's BIOS: a fifth of the image, and a twelfth of the processor time that it takes to make."""
PAIRS = (("pc", "pc-intel"), ("process", "process-intel"))
"""Shapes that differ in whose processors host guests, AMD's and Intel's: the chooser's order (firmware/chooser/load.h)."""
BOTH = {PAIRS[0]: "pc-both"}
"""The shape whose one kernel does what both of a pair do."""


def kernels_of(shape: str) -> tuple[str, ...]:
    """The shapes whose kernels a CD image has: both of a pair."""
    return next((pair for pair in PAIRS if shape in pair), (shape,))


def relatives(shape: str) -> tuple[str, ...]:
    """The shapes of boards that a system may move to from one of `shape`: those that host the same guests."""
    groups = [(*pair, *([BOTH[pair]] if pair in BOTH else [])) for pair in PAIRS]
    return next((group for group in groups if shape in group), (shape,))


def make_iso_of(shape: str, name: str, image: Path, progress: Progress) -> Path:
    """The CD image of a system whose board needs `shape`. With two kernels a program is booted in a kernel's place, asks CPUID and enters the right one."""
    shapes = kernels_of(shape)
    kernels = [build_kernel(one, progress) for one in shapes]
    if len(kernels) == 1:
        return make_iso(name, kernels[0], image, progress)
    progress("chooser")
    proc.run(["make", "-s", "-C", paths.ROOT / "firmware" / "chooser"], "building the chooser")
    return make_iso(name, paths.BUILD / "firmware" / "chooser.elf", image, progress, dict(zip(shapes, kernels, strict=True)))


def make_iso(
    name: str, kernel: Path, image: Path, progress: Progress, modules: Mapping[str, Path] = MappingProxyType({}), lean: bool = False
) -> Path:
    """Write build/iso/NAME.iso: `kernel` is booted, with the system as its first module and then `modules`. A `lean` one is for our
    emulators and lies beside `image`: what somebody takes to a PC stays as it is."""
    grub = proc.need("grub-mkrescue", "grub-common")
    proc.need("xorriso", "xorriso")
    target = image.with_suffix(".iso") if lean else paths.BUILD / "iso" / f"{name}.iso"
    target.parent.mkdir(parents=True, exist_ok=True)
    progress("CD image")
    with tempfile.TemporaryDirectory(prefix="amalgam-iso-", dir=target.parent) as work:
        boot = Path(work) / "root" / "boot"
        (boot / "grub").mkdir(parents=True)
        shutil.copy(kernel, boot / "amalgam.elf")
        shutil.copy(image, boot / "system.img")
        for module, path in modules.items():
            shutil.copy(path, boot / f"{module}.elf")
        kernels = "".join(KERNEL.format(name=module) for module in modules)
        (boot / "grub" / "grub.cfg").write_text(GRUB.format(name=name, kernels=kernels), encoding="ascii")
        made = Path(work) / "out.iso"
        proc.run([grub, "-o", made, *(LEAN if lean else ()), boot.parent], "making the CD image")
        made.replace(target)
    return target
