# SPDX-License-Identifier: MIT
"""The files that a system names: plain paths, debian:NAME and build:NAME; made when needed, and looked at before use."""

from __future__ import annotations

import re
from pathlib import Path

from amalgam import artifacts, paths
from amalgam.artifacts.cpio import Archive, pack_folder, read_names
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.machines import MACHINES, USUAL, Machine
from amalgam.errors import nearest
from amalgam.system.check import ACPI_END, ACPI_START, smallest_memory
from amalgam.system.kernels import EM_386, KernelImage, examine
from amalgam.system.kernels import MACHINES as MACHINES_OF_ELF
from amalgam.system.model import STACK_STEP, Boot, DeviceType, Domain, FileRef, Kind, System
from amalgam.system.modules import pack_of, page_up
from amalgam.system.natives import examine_native, most_own
from amalgam.system.patched import Native
from amalgam.system.program import examine_program, loaded_part
from amalgam.system.source import Diagnostics
from amalgam.system.units import MIB, show_size
from amalgam.ui import Progress

# Where a process's files are wanted: what the shell's file server has; what the shell of a many-core runs; one program, as the file /NAME.
SHELL_TREE = "build:shell"
CLUSTERS_TREE, RUN_BY_CLUSTERS = "build:clusters", {"hello": "hello", "rest": "rest", "nanvix": "nanvix-greet"}
ONE_PROGRAM = r"build:([\w-]+)\.elf"


def resolve(system: System, diag: Diagnostics, make: bool, progress: Progress) -> None:
    """Find (and, with `make`, make) every file; then look whether each is what its use needs."""
    guests_made = False
    for domain in system.domains:
        if domain.kind == Kind.PROCESS:
            find_archive(system, domain, diag, make, progress)
            find_program(system, domain, diag, make, progress)
            continue
        if domain.kind == Kind.NATIVE:
            find_native(system, domain, diag, make, progress)
            continue
        refs = [domain.kernel, domain.initrd] + [module.file for module in domain.modules] + [device.image for device in domain.devices]
        for ref in filter(None, refs):
            if ref.text.startswith("build:") and make and not guests_made:
                artifacts.make_guests(progress, guests_of(system))
                guests_made = True
            ref.path = find(system, ref, diag, make, progress)
        check_files(domain, diag)


def guests_of(system: System) -> str:
    """Whose small guests `build:` means: those in ring 1 are others."""
    return "ring1" if system.board and system.board.ring1() else "pc"


def find(system: System, ref: FileRef, diag: Diagnostics, make: bool, progress: Progress) -> Path | None:
    """The file behind a reference; None (reported unless it is only not made yet)."""
    kind, colon, name = ref.text.partition(":")
    if colon and kind in ("debian", "linux586"):
        return find_piece(ref, diag, make, progress)
    if colon and kind == "build":
        if not re.fullmatch(r"[\w-]+\.(elf|bin)", name):
            diag.error(ref.mark, f"'{ref.text}' is not what guests/ builds", "write build:NAME.elf or build:NAME.bin")
            return None
        guests = guests_of(system)
        path = artifacts.guests_folder(guests) / name
        known = artifacts.guest_names(guests)
        if name not in known or (make and not path.is_file()):
            diag.error(
                ref.mark,
                f"{artifacts.guests_source(guests).relative_to(paths.ROOT)}/ builds no '{name}'{nearest(name, known)}",
                "there are " + ", ".join(f"build:{n}" for n in known) if known else "see guests/Makefile",
            )
            return None
        return path if path.is_file() else None
    if colon and kind.isalpha():
        diag.error(ref.mark, f"'{kind}:' is no kind of file", "write a path, debian:NAME, linux586:NAME or build:NAME")
        return None
    return find_path(system.file, ref, diag)


def find_piece(ref: FileRef, diag: Diagnostics, make: bool, progress: Progress) -> Path | None:
    """The file behind KIND:NAME of artifacts.KINDS; as find()."""
    kind, _, name = ref.text.partition(":")
    known = list(artifacts.KINDS[kind])
    if name not in known:
        diag.error(ref.mark, f"there is no '{ref.text}'{nearest(name, known)}", "there are " + ", ".join(f"{kind}:{n}" for n in known))
        return None
    return artifacts.piece(kind, name, progress) if make else None


def find_path(system_file: Path, ref: FileRef, diag: Diagnostics) -> Path | None:
    """The file behind a plain path; None and a problem when there is none."""
    path = Path(ref.text) if Path(ref.text).is_absolute() else system_file.parent / ref.text
    if not path.is_file():
        what = "is a directory" if path.is_dir() else "does not exist"
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() and not path.exists() else []
        diag.error(ref.mark, f"the file '{ref.text}' {what}{nearest(path.name, beside)}", "paths count from the folder of the system file")
        return None
    if path.stat().st_size == 0:
        diag.error(ref.mark, f"the file '{ref.text}' is empty", "name a file with contents")
        return None
    return path


def machine_of(system: System) -> Machine:
    """What a system's programs are compiled for."""
    emulator = system.board.emulator if system.board else ""
    return next((machine for machine in MACHINES.values() if emulator.endswith(machine.name)), USUAL)


def find_archive(system: System, domain: Domain, diag: Diagnostics, make: bool, progress: Progress) -> None:
    """A process's files: a folder, which is packed, or an archive that somebody packed."""
    ref = domain.files
    if not ref:
        return
    folder = system.file.parent / ref.text
    try:
        if ref.text in (SHELL_TREE, CLUSTERS_TREE) or re.fullmatch(ONE_PROGRAM, ref.text):
            domain.archive = made_tree(ref, diag, progress, machine_of(system)) if make else None
        elif folder.is_dir():
            domain.archive = pack_folder(folder)
        elif path := find_path(system.file, ref, diag):
            read_names(path.read_bytes())
            domain.archive = path
    except (ArtifactError, OSError) as error:
        diag.error(
            ref.mark, f"'{ref.text}' cannot be a process's files: {error}", "name a folder of files, or an archive of 'cpio -o -H newc'"
        )


def made_tree(ref: FileRef, diag: Diagnostics, progress: Progress, machine: Machine) -> bytes | None:
    """One program, or what the shell's file server begins with: the tools in bin/, an empty tmp/, and a file to read. The shell of a many-core has
    programs in bin/, and such a file."""
    from amalgam.build import programs

    archive = Archive()
    if ref.text == CLUSTERS_TREE:
        for name in ("bin", "etc"):
            archive.directory(name)
        archive.file("etc/motd", b"help lists what the shell does, ls /bin what it can run.\n", 0o644)
        for name, program in RUN_BY_CLUSTERS.items():
            archive.file(f"bin/{name}", loaded_part(programs.make_program(programs.STARTED + program, progress, machine)), 0o755)
        return archive.bytes()
    if ref.text != SHELL_TREE:
        name = ref.text.partition(":")[2]
        if name not in programs.program_names():
            diag.error(ref.mark, f"the tree has no program '{name}'{nearest(name, programs.program_names())}", "name one of them")
            return None
        archive.file(
            name.removesuffix(".elf").removeprefix(programs.STARTED),
            loaded_part(programs.make_program(name.removesuffix(".elf"), progress, machine)),
            0o755,
        )
        return archive.bytes()
    for name in ("bin", "etc", "tmp"):
        archive.directory(name)
    archive.file("etc/motd", b"help lists what the shell does, ls /bin what there is besides.\n", 0o644)
    for tool in programs.shell_tools():
        archive.file(f"bin/{tool}", programs.make_program(f"{programs.SHELL}{tool}", progress, machine).read_bytes(), 0o755)
    return archive.bytes()


def archive_size(domain: Domain) -> int:
    """Bytes of memory that a process's files take."""
    size = len(domain.archive) if isinstance(domain.archive, bytes) else domain.archive.stat().st_size if domain.archive else 0
    return page_up(size)


def find_program(system: System, domain: Domain, diag: Diagnostics, make: bool, progress: Progress) -> None:
    """A process's program; build:NAME.elf is one of the tree's."""
    from amalgam.build import programs

    ref = domain.kernel
    if not ref:
        return
    machine = machine_of(system)
    kind, _, name = ref.text.partition(":")
    if kind == "build":
        known = programs.program_names()
        if name not in known:
            right = "there are " + ", ".join(f"build:{n}" for n in known)
            diag.error(ref.mark, f"the tree has no program '{name}'{nearest(name, known)}", right)
        elif make:
            ref.path = programs.make_program(name.removesuffix(".elf"), progress, machine)
        elif programs.made_program(name.removesuffix(".elf"), machine).is_file():
            ref.path = programs.made_program(name.removesuffix(".elf"), machine)
    elif kind == "debian" or (kind != ref.text and kind.isalpha()):
        diag.error(ref.mark, f"'{ref.text}' is no program of a process", "write a path, or build:NAME.elf of a program of the tree")
    else:
        ref.path = find_path(system.file, ref, diag)
    if not ref.path:
        return
    program = examine_program(ref.path, machine)
    if program.wrong:
        diag.error(ref.mark, f"'{ref.text}' is no program for a process: {program.wrong}", "make it with ./amalgam cc")
    elif (least := program.least(domain.stack) + archive_size(domain)) > domain.memory:
        what = f"the program '{ref.text}', its files, its stack" if domain.archive else f"the program '{ref.text}', its stack"
        diag.error(
            domain.where("memory"),
            f"{show_size(domain.memory)} cannot hold {what} and a heap",
            f"give it at least {show_size(least)}",
        )


def find_native(system: System, domain: Domain, diag: Diagnostics, make: bool, progress: Progress) -> None:
    """A native program's file; build:NAME.elf is one of the tree's."""
    from amalgam.build import natives

    ref = domain.kernel
    if not ref:
        return
    kind, _, name = ref.text.partition(":")
    if kind == "build":
        known = natives.program_names()
        made = natives.made_program(name.removesuffix(".elf"))
        if name not in known:
            right = "there are " + ", ".join(f"build:{n}" for n in known)
            diag.error(ref.mark, f"the tree has no native program '{name}'{nearest(name, known)}", right)
        elif make:
            ref.path = natives.make_program(name.removesuffix(".elf"), progress)
        elif made.is_file():
            ref.path = made
    elif kind == "debian" or (kind != ref.text and kind.isalpha()):
        diag.error(ref.mark, f"'{ref.text}' is no native program", "write a path, or build:NAME.elf of a native program of the tree")
    else:
        ref.path = find_path(system.file, ref, diag)
    if not ref.path:
        return
    program = examine_native(ref.path)
    if program.wrong:
        diag.error(ref.mark, f"'{ref.text}' is no native program: {program.wrong}", "make it with ./amalgam cc --rcce or --openmp")
    elif program.shared and (owner := next((other for other in system.domains if other.svm), None)):
        diag.error(ref.mark, f"'{ref.text}' lies in shared pages of all cores, and '{owner.name}' has 'svm'", "leave one of the two out")
    elif program.own > most_own(domain.stack):
        text = f"the {program.own} bytes of thread-local variables of '{ref.text}' take more than three quarters of a stack of {show_size(domain.stack)}"
        right = f"say 'stack: {show_size(-(-4 * program.own // (3 * STACK_STEP)) * STACK_STEP)}'"
        diag.error(domain.where("stack"), text, right)
    elif (least := program.least(domain.stack, len(domain.ues))) > domain.memory:
        right = f"give it at least {show_size(least)}"
        diag.error(domain.where("memory"), f"{show_size(domain.memory)} cannot hold the program '{ref.text}', its stack and a heap", right)


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
