# SPDX-License-Identifier: MIT
"""The files that a partitioned system names: found, made when needed, looked at, and laid out in each guest's memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from amalgam import artifacts, proc
from amalgam.errors import UserError, nearest
from amalgam.previrt import PrevirtError, area_of, patch_elf
from amalgam.system.files import find_path, find_piece
from amalgam.system.model import FileRef
from amalgam.system.partition import devicetree
from amalgam.system.partition.image import Image, ImageError, load, words
from amalgam.system.partition.model import Channel, Partition, PartitionSystem
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_size
from amalgam.ui import Progress

PAGE = 4096


def resolve(system: PartitionSystem, diag: Diagnostics, make: bool, progress: Progress) -> None:
    """Find (and, with `make`, make) every file; then lay out each guest's memory."""
    guests_made = False
    for domain in system.domains:
        for ref in filter(None, (domain.kernel, domain.initrd, domain.dtb)):
            if ref.text.startswith("build:") and make and not guests_made:
                artifacts.make_guests(progress, "ppc405")
                guests_made = True
            ref.path = find(system, ref, diag, make, progress)
        lay_out(domain, system.channels, diag)


def find(system: PartitionSystem, ref: FileRef, diag: Diagnostics, make: bool, progress: Progress) -> Path | None:
    """The file behind a reference; None (reported unless it is only not made yet)."""
    kind, colon, name = ref.text.partition(":")
    if colon and kind == "linux40x":
        return find_piece(ref, diag, make, progress)
    if colon and kind == "build":
        known = artifacts.guest_names("ppc405")
        path = artifacts.guests_folder("ppc405") / name
        if name not in known or (make and not path.is_file()):
            diag.error(
                ref.mark, f"guests/ppc405/ builds no '{name}'{nearest(name, known)}", "there are " + ", ".join(f"build:{n}" for n in known)
            )
            return None
        return path if path.is_file() else None
    if colon and kind.isalpha():
        diag.error(ref.mark, f"'{kind}:' is no kind of file", "write a path, linux40x:NAME or build:NAME")
        return None
    return find_path(system.file, ref, diag)


def lay_out(domain: Partition, channels: list[Channel], diag: Diagnostics) -> None:
    """Kernel where it says, then the device tree, then the initrd; the entry and the registers."""
    if not domain.kernel or not domain.kernel.path:
        return
    image = looked_at(domain, domain.kernel.path, diag)
    if image is None:
        return
    domain.segments = list(image.segments)
    if domain.previrt:
        try:
            domain.patches = patch_elf(domain.kernel.path, domain.memory).records
        except PrevirtError as error:
            diag.error(domain.where("previrt"), str(error), "leave 'previrt' out: unpatched instructions trap")
    domain.start = image.entry if domain.entry is None else domain.entry
    domain.gpr = [domain.registers.get(f"r{3 + i}", 0) for i in range(5)]
    at = -(-image.end // PAGE) * PAGE
    initrd = None
    if domain.initrd and domain.initrd.path:
        data = domain.initrd.path.read_bytes()
        initrd = (at, at + len(data))
        domain.segments.append(words(at, data))
        at = -(-(at + len(data)) // PAGE) * PAGE
    if domain.device_tree and (not domain.dtb or domain.dtb.path):
        blob = tree_of(domain, channels, initrd, diag)
        domain.gpr[0] = at
        domain.segments.append(words(at, blob))
        at += len(blob)
    if domain.cmdline:
        text = domain.cmdline.encode() + b"\0"
        domain.gpr[3] = at  # r6, as the board's own loader has it
        domain.segments.append(words(at, text))
        at += len(text)
    limit = area_of(domain.memory) if domain.previrt else domain.memory
    if at > limit:
        diag.error(
            domain.where("memory"),
            f"{show_size(domain.memory)} cannot hold the images of '{domain.name}', which end at {at:#x}",
            f"give it at least {-(-(at + domain.memory - limit) >> 20)}M",
        )


def tree_of(domain: Partition, channels: list[Channel], initrd: tuple[int, int] | None, diag: Diagnostics) -> bytes:
    """The device tree that the domain gets; nothing, if the user's file is none."""
    proc.need("dtc", devicetree.PACKAGE)
    try:
        with tempfile.TemporaryDirectory(prefix="amalgam-dt-") as work:
            return devicetree.make(domain, channels, initrd, Path(work))
    except (UserError, UnicodeDecodeError) as error:
        if not domain.dtb:
            raise
        reason = str(error).strip().splitlines()[-1]
        diag.error(domain.dtb.mark, f"'{domain.dtb.text}' is no device tree: {reason}", "give a source, or a compiled tree of version 17")
        return b""


def looked_at(domain: Partition, path: Path, diag: Diagnostics) -> Image | None:
    """The kernel's image, if this machine can run it from this memory."""
    assert domain.kernel
    if "load" in domain.at and path.read_bytes()[:4] == b"\x7fELF":
        diag.error(domain.where("load"), f"'{domain.kernel.text}' is an ELF file and says itself where it goes", "leave 'load' out")
    try:
        image = load(path, domain.load)
    except ImageError as error:
        wrong, right = error.args
        diag.error(domain.kernel.mark, f"'{domain.kernel.text}' {wrong}", right)
        return None
    entry = image.entry if domain.entry is None else domain.entry
    if entry % 4 or entry >= domain.memory:
        diag.error(
            domain.where("entry"),
            f"the entry {entry:#x} of '{domain.name}' is no instruction in its memory",
            f"use 0 to {domain.memory - 4:#x}",
        )
    return image
