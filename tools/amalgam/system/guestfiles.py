# SPDX-License-Identifier: MIT
"""Whether the files of a guest are what their use needs: its kernel's format and way in, sizes against its memory, disks of whole sectors."""

from __future__ import annotations

from amalgam import paths
from amalgam.system.check import ACPI_END, ACPI_START, smallest_memory
from amalgam.system.kernels import EM_386, KernelImage, examine
from amalgam.system.kernels import MACHINES as MACHINES_OF_ELF
from amalgam.system.model import Boot, DeviceType, Domain, FileRef
from amalgam.system.modules import pack_of
from amalgam.system.patched import Native
from amalgam.system.source import Diagnostics
from amalgam.system.units import MIB, show_size


def check_kernel(domain: Domain, ref: FileRef, found: KernelImage, diag: Diagnostics) -> None:
    """Whether the image offers the way in that its domain wants, and can be loaded."""
    if domain.boot == Boot.RAW:
        if found.is_elf:
            diag.error(
                ref.mark,
                f"'{ref.text}' is an ELF file, but 'boot: raw' copies bytes as they are",
                "objcopy -O binary it, or boot it by multiboot1 or pvh",
            )
    elif found.wrong:
        diag.error(ref.mark, f"'{ref.text}' is {found.what}, but {found.wrong}", "build or copy it again")
    elif domain.boot == Boot.LINUX32:
        if not found.is_elf or MACHINES_OF_ELF[EM_386] not in found.what:
            diag.error(ref.mark, f"'{ref.text}' is {found.what}: it is no ELF file for i386", "name a vmlinux, e.g. linux586:vmlinux")
        else:
            fit_for_ring1(domain, ref, diag)
    elif not found.ways:
        diag.error(
            ref.mark,
            f"'{ref.text}' is {found.what}: it has no {HEADERS[domain.boot]}",
            f"{found.unpacking(ref.text)}, and name what comes out"
            if found.unpacking(ref.text)
            else "name a kernel, or say 'boot: raw' if its bytes are 32-bit code",
        )
    elif domain.boot not in found.ways:
        can = " or ".join(f"'boot: {b.name.lower()}'" for b in found.ways)
        diag.error(
            ref.mark,
            f"'{ref.text}' cannot be booted by {domain.boot.name.lower()}: it has no {HEADERS[domain.boot]}",
            f"it can by {can}",
        )


def megabytes(count: int) -> str:
    """Rounded up."""
    return f"{-(-count // MIB)}M"


def fit_for_ring1(domain: Domain, ref: FileRef, diag: Diagnostics) -> None:
    """A Linux that was not built for ring 1 is patched, and has a PC's devices; one that was has none of these."""
    assert ref.path
    kernel = Native(ref.path.read_bytes())
    has = any(device.type == DeviceType.PC for device in domain.devices)
    if kernel.native() and (why := kernel.wrong()):
        diag.error(
            ref.mark,
            f"'{ref.text}' is {kernel.name()}, which was not built for ring 1, and {why}",
            "docs/i586-linux.md says which ones can be hosted",
        )
    elif kernel.native() and not has:
        diag.error(
            domain.where("devices"),
            f"'{ref.text}' is {kernel.name()}, which was not built for ring 1, and has no interrupts without a PC's devices",
            "say 'devices: [{type: uart}, {type: pc}]', and 'console=ttyS0' on its command line",
        )
    elif kernel.native():
        ref.path = kernel.file(paths.CACHE)
    elif kernel.ours and has:
        diag.error(domain.where("devices"), f"'{ref.text}' is built for ring 1, and has no use for 'pc'", "leave it out")


def check_files(domain: Domain, diag: Diagnostics) -> None:
    """Kernel format, sizes against the domain's memory, whole sectors."""
    kernel = domain.kernel.path if domain.kernel else None
    if kernel and domain.kernel:
        found = examine(kernel, whole=not domain.kernel.text.startswith("debian:"))  # a package's checksum is enough
        check_kernel(domain, domain.kernel, found, diag)
        pack = pack_of(domain)
        initrd = pack.size() if pack else domain.initrd.path.stat().st_size if domain.initrd and domain.initrd.path else 0
        size = kernel.stat().st_size
        least = smallest_memory(domain, size, found.least(), initrd)
        if least > domain.memory and (domain.boot != Boot.RAW or domain.entry < domain.memory):
            why = ""
            if domain.boot == Boot.LINUX64 and found.base:
                why = f": its kernel runs at {show_size(found.base)} and needs {megabytes(found.room)} from there (pref_address, init_size)"
            diag.error(
                domain.where("memory"),
                f"{show_size(domain.memory)} cannot hold the images of '{domain.name}'{why}",
                f"give it at least {-(-least // (2 * MIB)) * 2}M",
            )
        if domain.boot == Boot.RAW and domain.acpi and domain.entry < ACPI_START and domain.entry + size > ACPI_START:
            diag.error(
                domain.where("entry"),
                f"the image at {domain.entry:#x} overlaps the ACPI tables at {ACPI_START:#x}",
                f"load it at {ACPI_END:#x} or above, or say 'acpi: false'",
            )
    for device in domain.devices:
        if device.type == DeviceType.BLOCK and device.image and device.image.path:
            size = device.image.path.stat().st_size
            if size % 512:
                diag.error(
                    device.image.mark,
                    f"the disk '{device.image.text}' has {size} bytes, no whole number of 512-byte sectors",
                    f"pad it: truncate -s {-(-size // 512) * 512}",
                )


HEADERS = {
    Boot.LINUX64: "bzImage header with a 64-bit entry",
    Boot.PVH: "PVH note (Xen note type 18)",
    Boot.MULTIBOOT1: "multiboot 1 header",
    Boot.MULTIBOOT2: "multiboot 2 header",
    Boot.RAW: "header",
    Boot.LINUX32: "ELF header for i386",
}
