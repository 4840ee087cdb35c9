# SPDX-License-Identifier: MIT
"""Linux as Debian builds it, to its shell: in the kernel for both makers' processors; long: all that Debian has beside each other on one core, one
on eight vCPUs, and Debian's installer, by AMD-V on QEMU and by VT-x on Bochs. They are entered by PVH: their own decompressor would take most of Bochs' time."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from amalgam import artifacts, paths
from amalgam.artifacts import apt, kernel
from amalgam.board.monitor import await_monitor
from amalgam.board.shell import await_shell, run_command
from second import EMULATOR
from support import listed, said

pytestmark = pytest.mark.beside

PATIENCE = 1500  # of Bochs on a busy host, in long runs
VTX = "vmx: VT-x has what guests need"
BOTH = [pytest.param("q35-both", id="amd"), pytest.param("bochs-both", id="intel", marks=pytest.mark.full)]
LINUX = {"boot": "pvh", "cmdline": "console=ttyS0 quiet", "memory": "192M", "cores": [0]}
DEVICES = [{"type": "uart"}, {"type": "rng"}]
INSTALLER, TEXT = "debian-installer-12-netboot-amd64", "usr/lib/debian-installer/images/12/amd64/text/debian-installer/amd64"


def quiet(_text: str) -> None:
    """No progress."""


@pytest.mark.parametrize("board", BOTH)
def test_linux_uses_its_devices_in_a_kernel_for_both_makers(boot: Any, tmp_path: Path, board: str) -> None:
    """What it reads from its disk is what is there, and what it has written."""
    disk = tmp_path / "disk.img"
    disk.write_bytes(bytes(range(256)) * 512)
    devices = [*DEVICES, {"type": "block", "image": str(disk)}]
    linux = LINUX | {"kernel": "debian:vmlinux", "initrd": "debian:initrd", "devices": devices}
    system = {"system": "linux-both", "board": board, "cores": 1, "memory": "512M", "domains": {"linux": linux}}
    with boot(system, emulator=EMULATOR[board]) as b:
        await_shell(b["linux"], PATIENCE if EMULATOR[board] else 300)
        assert (VTX in b.kernel.text) == (board == "bochs-both")
        summed = hashlib.md5(disk.read_bytes()).hexdigest()  # noqa: S324 - no secret
        assert run_command(b["linux"], "md5sum </dev/vda", 60)[0].split()[0] == summed
        wrote = "echo amalgam | dd of=/dev/vda bs=4k seek=3 conv=fsync,sync 2>/dev/null; echo 3 >/proc/sys/vm/drop_caches"
        assert run_command(b["linux"], wrote, 60)[1] == 0
        assert run_command(b["linux"], "dd if=/dev/vda bs=4k skip=3 count=1 2>/dev/null | head -n 1", 60) == ("amalgam\n", 0)


@pytest.mark.full
@pytest.mark.parametrize("board", ["q35", "bochs-intel", "q35-both"])
def test_the_kernels_that_debian_has_share_a_core(boot: Any, board: str) -> None:
    """The stock one, those for virtual machines and with PREEMPT_RT, and a newer one where there is one."""
    packages = dict.fromkeys([kernel.META, kernel.CLOUD, kernel.RT, kernel.newest(paths.CACHE, quiet)])
    releases = {f"linux{n}": kernel.find(paths.CACHE, quiet, meta).release for n, meta in enumerate(packages)}
    domains = {
        name: LINUX
        | {"kernel": str(artifacts.debian("vmlinux", quiet, meta=meta)), "initrd": str(artifacts.debian("initrd", quiet, meta=meta))}
        | {"devices": DEVICES}
        for name, meta in zip(releases, packages, strict=True)
    }
    system = {"system": "debian-kernels", "board": board, "cores": 1, "memory": "1200M", "domains": domains}
    with boot(system, emulator=EMULATOR[board]) as b:
        for name in domains:
            said(b, name, r"amalgam-init: up ", PATIENCE)
        await_monitor(b)
        assert {name: listed(b, name)["state"] for name in domains} == dict.fromkeys(domains, "running")
        for name, release in releases.items():
            await_shell(b[name], PATIENCE)
            assert run_command(b[name], "uname -r", 60) == (f"{release}\n", 0)
        assert (VTX in b.kernel.text) == (board == "bochs-intel")


@pytest.mark.full
@pytest.mark.parametrize("board", ["q35", "bochs-intel"])
def test_linux_has_eight_vcpus_on_two_cores(boot: Any, board: str) -> None:
    linux = LINUX | {"kernel": "debian:vmlinux", "initrd": "debian:initrd", "devices": DEVICES, "vcpus": 8, "cores": [0, 1] * 4}
    system = {"system": "debian-eight", "board": board, "cores": 2, "memory": "512M", "domains": {"linux": linux}}
    with boot(system, emulator=EMULATOR[board], accel="tcg,thread=single") as b:
        await_shell(b["linux"], PATIENCE)
        assert run_command(b["linux"], "nproc", 60) == ("8\n", 0)
        ran = "for n in 0 1 2 3 4 5 6 7; do taskset -c $n true || exit 1; done"
        assert run_command(b["linux"], ran, 60) == ("", 0)


@pytest.mark.full
@pytest.mark.parametrize("board", ["q35", "bochs-intel"])
def test_debians_installer_comes_to_its_menu(boot: Any, tmp_path: Path, board: str) -> None:
    images = apt.debian12(paths.CACHE).unpacked(paths.CACHE, INSTALLER, quiet) / TEXT
    vmlinux = tmp_path / "vmlinux"
    vmlinux.write_bytes(kernel.extract_vmlinux((images / "linux").read_bytes()))
    files = {"kernel": str(vmlinux), "initrd": str(images / "initrd.gz")}
    installer = LINUX | files | {"cmdline": "console=ttyS0 DEBIAN_FRONTEND=text priority=low", "memory": "640M", "devices": DEVICES}
    system = {"system": "debian-installer", "board": board, "cores": 1, "memory": "1G", "domains": {"installer": installer}}
    with boot(system, emulator=EMULATOR[board]) as b:
        said(b, "installer", r"Entering low memory mode", PATIENCE)
        said(b, "installer", r"\[Press enter to continue\]", PATIENCE)
        b["installer"].send("\n")
        said(b, "installer", r"Choose the next step in the install process", PATIENCE)
