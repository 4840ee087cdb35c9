# SPDX-License-Identifier: MIT
"""A writer of "newc" archives, and a look at others (Documentation/driver-api/early-userspace/buffer-format.rst).

Ours rather than cpio(1), because device nodes then need no root and two runs
give the same bytes: owner 0, time 0, names sorted by the caller's order.
"""

import re
import stat
from pathlib import Path, PurePosixPath

from .error import ArtifactError

HEADER, LAST = 110, "TRAILER!!!"


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


def pack_folder(folder: Path) -> bytes:
    """The files and folders below a folder, by name; links and what is no file are refused."""
    archive = Archive()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ArtifactError(f"it holds '{name}', which is no file and no folder")
        if path.is_dir():
            archive.directory(name)
        else:
            archive.file(name, path.read_bytes(), 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
    return archive.bytes()


def read_names(data: bytes) -> list[str]:
    """The names in an archive, in its order; ArtifactError says what is wrong with it. user/lib/cpio.c has the same rules."""
    names, at = [], 0
    while True:
        header = data[at : at + HEADER]
        if len(header) < HEADER or header[:6] not in (b"070701", b"070702"):
            raise ArtifactError(f'it has no entry of a "newc" archive at byte {at}')
        if not re.fullmatch(rb"[0-9A-Fa-f]+", header[6:]):
            raise ArtifactError(f"the entry at byte {at} has a number that is none")
        fields = [int(header[i : i + 8], 16) for i in range(6, HEADER, 8)]
        size, name_size = fields[6], fields[11]
        name = data[at + HEADER : at + HEADER + name_size]
        contents = (at + HEADER + name_size + 3) // 4 * 4
        if len(name) < max(name_size, 1) or name.find(b"\0") != name_size - 1 or contents + size > len(data):
            raise ArtifactError(f"the entry at byte {at} is cut off or malformed")
        text = name[:-1].decode(errors="replace")
        if text == LAST:
            return names
        names.append(text)
        at = (contents + size + 3) // 4 * 4
