# SPDX-License-Identifier: MIT
"""What packing needs of ELF64 files: sections, NEEDED libraries, a module's dependencies. pyelftools reads the files."""

import io

from elftools.common.exceptions import ELFError
from elftools.construct import ConstructError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from .error import ArtifactError


class Elf:
    def __init__(self, data: bytes, name: str = "file"):
        try:
            self.file = ELFFile(io.BytesIO(data))
            self.file.get_section_by_name("")  # reads all headers, so that a file that is cut off is refused here
        except (ELFError, ConstructError):
            raise ArtifactError(f"{name}: not a little-endian ELF64 file, or cut off") from None
        if self.file.elfclass != 64 or not self.file.little_endian:
            raise ArtifactError(f"{name}: not a little-endian ELF64 file")

    def section(self, name: str) -> bytes:
        section = self.file.get_section_by_name(name)
        return section.data() if section and section["sh_type"] != "SHT_NOBITS" else b""

    def needed(self) -> list[str]:
        dynamic = self.file.get_section_by_name(".dynamic")
        tags = dynamic.iter_tags("DT_NEEDED") if isinstance(dynamic, DynamicSection) else ()
        return [tag.needed for tag in tags]

    def modinfo(self, field: str) -> list[str]:
        prefix = field.encode() + b"="
        return [e[len(prefix) :].decode() for e in self.section(".modinfo").split(b"\0") if e.startswith(prefix)]
