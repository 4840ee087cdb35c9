# SPDX-License-Identifier: MIT
"""A CD image with GRUB that boots kernel and system by multiboot2, in QEMU and on a real PC."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from amalgam import paths, proc
from amalgam.ui import Progress

GRUB = """set timeout=0
serial --unit=0 --speed=115200
terminal_output console serial
menuentry "Amalgam: {name}" {{
    multiboot2 /boot/amalgam.elf
    module2 /boot/system.img
    boot
}}
"""


def make_iso(name: str, kernel: Path, image: Path, progress: Progress) -> Path:
    """Write build/iso/NAME.iso."""
    grub = proc.need("grub-mkrescue", "grub-common")
    proc.need("xorriso", "xorriso")
    target = paths.BUILD / "iso" / f"{name}.iso"
    target.parent.mkdir(parents=True, exist_ok=True)
    progress("CD image")
    with tempfile.TemporaryDirectory(prefix="amalgam-iso-", dir=target.parent) as work:
        boot = Path(work) / "root" / "boot"
        (boot / "grub").mkdir(parents=True)
        shutil.copy(kernel, boot / "amalgam.elf")
        shutil.copy(image, boot / "system.img")
        (boot / "grub" / "grub.cfg").write_text(GRUB.format(name=name), encoding="ascii")
        made = Path(work) / "out.iso"
        proc.run([grub, "-o", made, boot.parent], "making the CD image")
        made.replace(target)
    return target
