# SPDX-License-Identifier: MIT
"""The files that a system names: plain paths, debian:NAME and build:NAME; made when needed, and looked at before use (guestfiles.py: those of
guests)."""

from __future__ import annotations

import re
from pathlib import Path

from amalgam import artifacts, paths
from amalgam.artifacts.cpio import Archive, pack_folder, read_names
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.machines import MACHINES, USUAL, Machine
from amalgam.errors import nearest
from amalgam.system.guestfiles import check_files
from amalgam.system.model import STACK_STEP, Domain, FileRef, Kind, System
from amalgam.system.modules import page_up
from amalgam.system.natives import examine_native, most_own
from amalgam.system.program import examine_program, loaded_part
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_size
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
