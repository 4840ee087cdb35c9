# SPDX-License-Identifier: MIT
"""A writer of "newc" archives (Documentation/driver-api/early-userspace/buffer-format.rst).

Ours rather than cpio(1), because device nodes then need no root and two runs
give the same bytes: owner 0, time 0, names sorted by the caller's order.
"""

import stat
from pathlib import PurePosixPath


class Archive:
    def __init__(self):
        self._out = bytearray()
        self._seen = set()

    def _entry(self, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)):
        encoded = name.encode() + b"\0"
        fields = (len(self._seen), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(encoded), 0)
        self._seen.add(name)
        self._out += b"070701" + b"".join(b"%08x" % f for f in fields) + encoded
        self._pad()
        self._out += data
        self._pad()

    def _pad(self):
        self._out += bytes(-len(self._out) % 4)

    def _parents(self, name: str):
        for parent in reversed(PurePosixPath(name).parents[:-1]):
            self.directory(str(parent))

    def directory(self, name: str):
        if name not in self._seen:
            self._parents(name)
            self._entry(name, stat.S_IFDIR | 0o755)

    def file(self, name: str, data: bytes, mode: int = 0o644):
        if name not in self._seen:
            self._parents(name)
            self._entry(name, stat.S_IFREG | mode, data)

    def link(self, name: str, target: str):
        if name not in self._seen:
            self._parents(name)
            self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, name: str, major: int, minor: int):
        self._parents(name)
        self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def bytes(self) -> bytes:
        self._entry("TRAILER!!!", 0)
        return bytes(self._out) + bytes(-len(self._out) % 512)
