# SPDX-License-Identifier: MIT
"""Modules of a Multiboot domain: read, and packed into one payload as struct sys_module (core/system_table.h) has it."""

from __future__ import annotations

import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from amalgam.system import model
from amalgam.system.model import Boot, Domain, Module
from amalgam.system.reader import Map, file_ref

MODULE = struct.Struct("<IIII")
PAGE = 4096
ROOM, ENTRY = 0x6000, 24  # what the kernel has for command lines, and how much more it takes for each (vm/load/multiboot.c)
MULTIBOOT = (Boot.MULTIBOOT1, Boot.MULTIBOOT2)


def read_modules(m: Map, boot: Boot) -> list[Module]:
    """A domain's 'modules'."""
    if m.has("modules") and boot not in MULTIBOOT:
        m.diag.error(
            m.keys["modules"],
            f"'modules' has no meaning for 'boot: {boot.name.lower()}'",
            "boot by multiboot1 or multiboot2, or name one 'initrd'",
        )
    if m.has("modules") and m.has("initrd"):
        m.diag.error(m.keys["initrd"], "an initrd beside modules", "name it as one of the modules")
    modules = []
    for item in m.items("modules", "modules {file, cmdline}"):
        one = Map(m.file, item, "the module", ("file", "cmdline"), m.diag)
        one.require("file", "a module is a file: a path, debian:NAME or build:NAME")
        if file := file_ref(one, "file"):
            modules.append(Module(one.mark, {key: one.at(key) for key in one.nodes}, file, read_cmdline(one)))
    if len(modules) > model.MAX_MODULES:
        m.diag.error(modules[model.MAX_MODULES].mark, f"{len(modules)} modules", f"a domain has at most {model.MAX_MODULES}")
    words = sum(len(module.cmdline) + ENTRY for module in modules)
    if words > ROOM:
        m.diag.error(
            m.at("modules"),
            f"the command lines of the modules take {words} bytes, with {ENTRY} for each module",
            f"all together at most {ROOM}",
        )
    return modules


def read_cmdline(m: Map) -> str:
    text = m.text("cmdline")
    if len(text.encode()) > model.MAX_CMDLINE or not text.isprintable() or not text.isascii():
        m.diag.error(
            m.at("cmdline"),
            "the command line is too long or holds characters that are not printable ASCII",
            f"at most {model.MAX_CMDLINE} printable characters",
        )
        return ""
    return text


@dataclass(frozen=True)
class Pack:
    """A list of modules, their command lines, then each file on a page of its own. Equal ones are stored once."""

    modules: tuple[tuple[Path, str], ...]

    def strings_at(self) -> int:
        return MODULE.size * len(self.modules)

    def starts(self) -> list[int]:
        """Where each file starts, and where the last one's pages end."""
        at = page_up(self.strings_at() + sum(len(cmdline) + 1 for _, cmdline in self.modules))
        places = [at]
        for file, _ in self.modules:
            places.append(places[-1] + page_up(file.stat().st_size))
        return places

    def size(self) -> int:
        return self.starts()[-1]

    def write(self, out: BinaryIO) -> None:
        """From where `out` stands on."""
        base, string = out.tell(), self.strings_at()
        entries = b""
        for (file, cmdline), start in zip(self.modules, self.starts(), strict=False):
            entries += MODULE.pack(start, start + file.stat().st_size, string, 0)
            string += len(cmdline) + 1
        out.write(entries + b"".join(cmdline.encode("ascii") + b"\0" for _, cmdline in self.modules))
        for (file, _), start in zip(self.modules, self.starts(), strict=False):
            out.seek(base + start)
            with file.open("rb") as data:
                shutil.copyfileobj(data, out, 1 << 20)


def pack_of(domain: Domain) -> Pack | None:
    """What a Multiboot domain gets, whose initrd is a module without a command line; None: nothing."""
    named = domain.modules or ([Module(domain.mark, {}, domain.initrd, "")] if domain.initrd else [])
    files = [(module.file.path, module.cmdline) for module in named if module.file.path]
    return Pack(tuple(files)) if files and domain.boot in MULTIBOOT else None


def page_up(value: int) -> int:
    return -(-value // PAGE) * PAGE
