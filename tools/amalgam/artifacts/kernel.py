# SPDX-License-Identifier: MIT
"""The stock Debian kernel: the package behind linux-image-amd64 (or behind another such name), unpacked."""

import gzip
import lzma
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import apt
from .elf import Elf
from .error import ArtifactError
from .store import Log, key, publish, recipe

META = "linux-image-amd64"
CLOUD, RT = "linux-image-cloud-amd64", "linux-image-rt-amd64"
"""The stock Linux built for virtual machines alone, and the one with PREEMPT_RT."""
NEWER = "linux-image-6.12-amd64"
"""Debian 12's security suite has this newer Linux beside its own."""


@dataclass(frozen=True)
class Kernel:
    release: str  # as uname -r prints it
    vmlinuz: Path
    modules: Path  # lib/modules/<release>
    config: Path


def flavour(name: str) -> str:
    """What a package's name says of how its Linux is built; empty: the plain one."""
    found = re.search(r"-(cloud|rt)-amd64", name)
    return found[1] if found else ""


def find(cache: Path, log: Log, meta: str = META) -> Kernel:
    """The kernel that the package `meta` depends on. Without a usable apt, one of that series unpacked earlier."""
    try:
        _, depends = apt.candidate(meta)
        package = next(d for d in depends if d.startswith("linux-image-"))
        tree = apt.unpacked(cache, package, log)
    except (ArtifactError, StopIteration) as error:
        earlier = sorted((Path(cache) / "packages").glob("linux-image-*"), key=lambda p: p.stat().st_mtime)
        earlier = [p for p in earlier if flavour(p.name) == flavour(meta)]
        series = [p for p in earlier if p.name.startswith(NEWER.removesuffix("-amd64")) == (meta == NEWER)]
        earlier = series or (earlier if meta != NEWER else [])
        if not earlier:
            raise ArtifactError(f"no kernel of {meta} to be had: {error}") from None
        tree = earlier[-1]
        log(f"apt does not offer {meta}; using {tree.name} from the cache")
    images = sorted((tree / "boot").glob("vmlinuz-*"))
    if not images:
        raise ArtifactError(f"{tree.name} holds no boot/vmlinuz-*; remove it from the cache and try again")
    release = images[-1].name.removeprefix("vmlinuz-")
    modules = next((p for p in (tree / "lib/modules" / release, tree / "usr/lib/modules" / release) if p.exists()), None)
    if modules is None:
        raise ArtifactError(f"{tree.name} holds no modules for {release}")
    return Kernel(release, images[-1], modules, tree / "boot" / f"config-{release}")


def newest(cache: Path, log: Log) -> str:
    """The package of the newest Linux that this Debian has: NEWER, or META where the stock one is as new."""
    major, minor = find(cache, log).release.split(".")[:2]
    return META if (int(major), int(minor)) >= (6, 12) else NEWER


def build(cache: Path, log: Log, meta: str = META) -> Path:
    """The bzImage."""
    return find(cache, log, meta).vmlinuz


def _filter(command: str, data: bytes) -> bytes:
    if shutil.which(command) is None:
        raise ArtifactError(f"this kernel is packed with {command}: install the {command} package")
    done = subprocess.run([command, "-dc"], input=data, capture_output=True)
    if not done.stdout:  # legacy lz4 frames end in the size word, which makes the tool complain after the data
        raise ArtifactError(f"{command} cannot unpack the kernel: {done.stderr.decode().strip()}")
    return done.stdout


def extract_vmlinux(image: bytes) -> bytes:
    """The ELF inside a bzImage (x86 boot protocol 2.08: payload_offset, payload_length; then 4 bytes of size)."""
    if len(image) < 0x264 or image[0x202:0x206] != b"HdrS":
        raise ArtifactError("not a bzImage: no HdrS signature at 0x202")
    if struct.unpack_from("<H", image, 0x206)[0] < 0x208:
        raise ArtifactError("bzImage older than boot protocol 2.08: it does not say where its payload is")
    start = (max(image[0x1F1], 0) or 4) * 512 + 512
    offset, length = struct.unpack_from("<II", image, 0x248)
    payload = image[start + offset : start + offset + length]
    if len(payload) != length or length < 8:
        raise ArtifactError("bzImage is cut short")
    (size,) = struct.unpack_from("<I", payload, length - 4)
    body = payload[:-4]
    unpackers = {
        b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor().decompress(body),
        b"\x1f\x8b": lambda: gzip.decompress(payload),  # gzip's own trailer is the size word
        b"\x28\xb5\x2f\xfd": lambda: _filter("zstd", body),
        b"\x02\x21\x4c\x18": lambda: _filter("lz4", body),
        b"\x5d\0\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE).decompress(body),
    }
    unpack = next((u for magic, u in unpackers.items() if payload.startswith(magic)), None)
    if unpack is None:
        raise ArtifactError(f"bzImage payload packed in an unknown way (starts with {payload[:6].hex()})")
    elf = unpack()
    if len(elf) != size:
        raise ArtifactError(f"bzImage unpacks to {len(elf)} bytes, its header promises {size}")
    Elf(elf, "vmlinux")
    return elf


def vmlinux(cache: Path, log: Log, bzimage: Path | None = None) -> Path:
    """The ELF (with its PVH note) of `bzimage`, or of the stock kernel."""
    source = bzimage or build(cache, log)

    def make(target: Path):
        log(f"unpacking vmlinux from {source.name}")
        target.write_bytes(extract_vmlinux(source.read_bytes()))

    return publish(Path(cache), f"vmlinux-{key(recipe(__file__), source)}", make)
