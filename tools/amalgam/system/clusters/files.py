# SPDX-License-Identifier: MIT
"""The kernels that a system of clusters names: found (or made), and flattened as they lie in a slice."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile

from amalgam import artifacts, paths
from amalgam.binary.damage import DAMAGE, reason
from amalgam.build.kernel import build_kernel
from amalgam.errors import nearest
from amalgam.system.clusters.domains import resolve_domains
from amalgam.system.clusters.model import SLICES, ClusterSystem, Image
from amalgam.system.files import find_path
from amalgam.system.kernels import examine
from amalgam.system.model import FileRef
from amalgam.system.source import Diagnostics
from amalgam.ui import Progress

GUESTS = "manycore"  # guests/manycore


class ImageError(Exception):
    """The file is no kernel for this board: (what is wrong, what would be right)."""


def built(name: str, bits: int) -> Path:
    """build:NAME on a board of `bits`."""
    return artifacts.guests_folder(GUESTS) / f"rv{bits}" / name


def resolve(system: ClusterSystem, diag: Diagnostics, make: bool, progress: Progress) -> None:
    """Give each cluster the image of its kernel; a file that several use is read once."""
    kernels: dict[str, tuple[Path | None, Image | None]] = {}
    modules: dict[str, bytes] = {}
    bits = system.board.bits if system.board else 64
    for cluster in system.clusters:
        if cluster.module and cluster.module.text not in modules:
            path = find_path(system.file, cluster.module, diag)
            modules[cluster.module.text] = path.read_bytes() if path else b""
        cluster.module_data = modules[cluster.module.text] if cluster.module else b""
        ref = cluster.kernel
        if ref is None:
            continue
        if ref.text not in kernels:
            ref.path = find(system, ref, bits, diag, make, progress)
            kernels[ref.text] = ref.path, load(ref, bits, diag) if ref.path else None
        ref.path, cluster.image = kernels[ref.text]
    resolve_domains(system, diag, make, progress, paths.BUILD / "systems")


def find(system: ClusterSystem, ref: FileRef, bits: int, diag: Diagnostics, make: bool, progress: Progress) -> Path | None:
    """The file behind a reference; None (reported unless it is only not made yet)."""
    kind, colon, name = ref.text.partition(":")
    if colon and kind == "build":
        known = artifacts.guest_names(GUESTS)
        if name not in known:
            wrong = f"guests/{GUESTS} builds no '{name}'{nearest(name, known)}"
            diag.error(ref.mark, wrong, "there are " + ", ".join(f"build:{n}" for n in known))
            return None
        if make:
            artifacts.make_guests(progress, GUESTS)
        path = built(name, bits)
        return path if path.is_file() else None
    if colon and kind == "shape":
        if name not in paths.SHAPES:
            diag.error(ref.mark, f"there is no shape '{name}'{nearest(name, list(paths.SHAPES))}", f"there are {', '.join(paths.SHAPES)}")
            return None
        path = build_kernel(name, progress) if make else paths.kernel_elf(name)
        return path if path.is_file() else None
    if colon and kind.isalpha():
        diag.error(ref.mark, f"'{kind}:' is no kind of kernel for a cluster", "write a path, build:NAME.elf or shape:NAME")
        return None
    return find_path(system.file, ref, diag)


def load(ref: FileRef, bits: int, diag: Diagnostics) -> Image | None:
    assert ref.path
    try:
        if ref.path.read_bytes()[:4] != b"\x7fELF":
            raise ImageError(f"is {examine(ref.path).what}", "name an ELF file for RISC-V")
        with ref.path.open("rb") as file:
            return flatten(ELFFile(file), bits)
    except ImageError as error:
        diag.error(ref.mark, f"'{ref.text}' {error.args[0]}", error.args[1])
    except DAMAGE as error:
        diag.error(ref.mark, f"'{ref.text}' is a damaged ELF file ({reason(error)})", "build it again")
    return None


def flatten(elf: ELFFile, bits: int) -> Image:
    """By physical addresses, from the lowest on: that one goes to the begin of the slice, wherever it was linked."""
    if elf.header["e_machine"] != "EM_RISCV":
        raise ImageError(f"is an ELF file for {elf.get_machine_arch()}", "compile it for RISC-V")
    if elf.elfclass != bits:
        raise ImageError(
            f"is a {elf.elfclass}-bit kernel, the board's harts have {bits}",
            f"compile it for this board (ours is {'shape:cluster32' if bits == 32 else 'shape:cluster'}), or choose the other board",
        )
    if elf.header["e_type"] not in ("ET_EXEC", "ET_DYN"):
        raise ImageError("is no executable", "link it")
    parts = [part for part in elf.iter_segments("PT_LOAD") if part["p_memsz"]]
    if not parts:
        raise ImageError("has nothing to load", "link it with a text section")
    first = min(part["p_paddr"] for part in parts)
    room = max(part["p_paddr"] + part["p_memsz"] for part in parts) - first
    if room > SLICES[-1]:
        raise ImageError(f"takes {room} bytes, its segments at their physical addresses", "link them close to each other")
    data, entry = bytearray(), -1
    for part in sorted(parts, key=lambda p: p["p_paddr"]):
        at = part["p_paddr"] - first
        if part["p_filesz"]:
            if at < len(data):
                raise ImageError(f"has a segment at {part['p_paddr']:#x} that overlaps the one before", "link it again")
            data += bytes(at - len(data)) + part.data()
        if part["p_vaddr"] <= elf.header["e_entry"] < part["p_vaddr"] + part["p_filesz"]:
            entry = elf.header["e_entry"] - part["p_vaddr"] + at
    if entry < 0:
        raise ImageError(f"is entered at {elf.header['e_entry']:#x}, where it has nothing", "link it with an ENTRY() in its text")
    return Image(bytes(data), entry, room)
