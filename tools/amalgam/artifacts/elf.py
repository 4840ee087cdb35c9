# SPDX-License-Identifier: MIT
"""The little of ELF64 that packing needs: sections, NEEDED libraries, a module's dependencies."""

import struct

from .error import ArtifactError


class Elf:
    def __init__(self, data: bytes, name: str = "file"):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ArtifactError(f"{name}: not a little-endian ELF64 file")
        self.data = data
        (offset,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        strings = self._body(self.headers[names]) if count else b""
        self.sections = {strings[h[0] : strings.index(b"\0", h[0])].decode(): h for h in self.headers}

    def _body(self, header) -> bytes:
        return self.data[header[4] : header[4] + header[5]] if header[1] != 8 else b""  # 8: SHT_NOBITS

    def section(self, name: str) -> bytes:
        return self._body(self.sections[name]) if name in self.sections else b""

    def needed(self) -> list[str]:
        dynamic, strings = self.section(".dynamic"), self.section(".dynstr")
        found = []
        for tag, value in struct.iter_unpack("<qQ", dynamic):
            if tag == 0:
                break
            if tag == 1:  # DT_NEEDED
                found.append(strings[value : strings.index(b"\0", value)].decode())
        return found

    def modinfo(self, field: str) -> list[str]:
        prefix = field.encode() + b"="
        return [e[len(prefix) :].decode() for e in self.section(".modinfo").split(b"\0") if e.startswith(prefix)]
