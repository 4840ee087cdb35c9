# SPDX-License-Identifier: MIT
"""Network cards and disks of an emulated board, for the processes that drive them: each card on a network of its own, made by the emulator, in which
10.0.2.2 is the host; or the first one at a TAP interface of the host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from amalgam import paths
from amalgam.errors import UserError
from amalgam.system.units import MIB

WIRE = "wire"  # in place of more words: all cards are on one wire with each other, and with nobody else
TAP = "tap="  # the first card is at that TAP interface of the host, which is there
DISK_SIZE = 16 * MIB  # of a disk that is made
FIRST_SLOT = 4  # of the PCI bus; the next devices are in the next slots, so each of four (driven.MOST) has an interrupt line of its own


def network_words(i: int, network: str) -> list[str]:
    """The network of card `i`. `network`: more words for the first one's, such as 'hostfwd=tcp:127.0.0.1:8080-:80',
    WIRE, or TAP and a name."""
    if network == WIRE:
        return ["-netdev", f"hubport,id=net{i},hubid=0"]
    if network.startswith(TAP) and not i:
        return ["-netdev", f"tap,id=net0,ifname={network.removeprefix(TAP)},script=no,downscript=no"]
    more = f",{network}" if network and not i else ""
    return ["-netdev", f"user,id=net{i}{more}"]


def words(n: int, network: str = "", virtio: int = 0, disks: Sequence[Path] = ()) -> list[str]:
    """The emulator's words for `n` cards of a PC, `virtio` cards behind them, and disks behind those. Virtio devices know their version 1 only."""
    found = []
    for i in range(n):
        found += [*network_words(i, network), "-device", f"rtl8139,netdev=net{i},addr={FIRST_SLOT + i:#x},romfile="]
    for i in range(n, n + virtio):
        found += [
            *network_words(i, network),
            "-device",
            f"virtio-net-pci,netdev=net{i},addr={FIRST_SLOT + i:#x},disable-legacy=on,romfile=",
        ]
    for i, path in enumerate(disks):
        found += drive_words(i, path)
        found += ["-device", f"virtio-blk-pci,drive=disk{i},addr={FIRST_SLOT + n + virtio + i:#x},disable-legacy=on"]
    return found


def refuse_network(network: str, n: int) -> None:
    """UserError: words for the network of a board that has no card."""
    if network and not n:
        raise UserError("--network goes with systems in which a process drives a network card", "leave it out", 2)


def disk_files(system: str, n: int) -> list[Path]:
    """Where a system's disks are."""
    return [paths.BUILD / "disks" / f"{system}-{i}.img" for i in range(n)]


def disk(path: Path) -> str:
    """The file, which is made, all zeros, if there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(DISK_SIZE)
    return str(path)


def drive_words(i: int, path: Path) -> list[str]:
    """What disk `i` holds."""
    return ["-drive", f"if=none,id=disk{i},format=raw,file={disk(path)}"]


def virtio_words(n: int, network: str = "", disks: Sequence[Path] = ()) -> list[str]:
    """Virtio cards and disks by registers in memory, in the first places for such devices."""
    found = ["-global", "virtio-mmio.force-legacy=false"] if n or disks else []
    for i in range(n):
        found += [*network_words(i, network), "-device", f"virtio-net-device,netdev=net{i},bus=virtio-mmio-bus.{i}"]
    for i, path in enumerate(disks):
        found += drive_words(i, path)
        found += ["-device", f"virtio-blk-device,drive=disk{i},bus=virtio-mmio-bus.{n + i}"]
    return found
