# SPDX-License-Identifier: MIT
"""The Debian packages that the project uses, each with what it is for. Only the standard library here: this runs first."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    name: str
    why: str
    tests_only: bool = False
    last_debian: int = 99  # later releases have a package of this name of no use to us, or none


EVERY = (
    Package("git", "the checkout itself; versions in build names"),
    Package("make", "drives every build"),
    Package("gcc", "compiles the kernel and the guests"),
    Package("g++", "compiles C++ programs of processes"),
    Package("libc6-dev", "C library for the programs that run inside Linux guests, and for the unit tests"),
    Package("binutils", "links the kernel, makes its symbol table"),
    Package("python3-venv", "the Python environment of ./amalgam"),
    Package("qemu-system-x86", "the board: a q35 PC with AMD-V"),
    Package("grub-pc-bin", "boot loader of the CD image (./amalgam iso)"),
    Package("grub-common", "grub-mkrescue, which makes the CD image"),
    Package("xorriso", "writes the CD image"),
    Package("mtools", "used by grub-mkrescue"),
    Package("mmdebstrap", "makes the Debian disk of guests (debian:disk)"),
    Package("uidmap", "lets mmdebstrap work without root"),
    Package("squashfs-tools-ng", "packs the Debian disk"),
    Package("zstd", "unpacks stock kernels that are packed with it"),
    Package("gcc-i686-linux-gnu", "compiles the 32-bit x86 kernel, for a Pentium"),
    Package("gcc-powerpc-linux-gnu", "compiles the ppc405 kernel, its guests and Linux for the 405"),
    Package("libc6-dev-powerpc-cross", "C library of the programs that run inside Linux for the 405"),
    Package("qemu-system-ppc", "the ppc405 board: one ref405ep a core", last_debian=12),  # later: artifacts/emulator.py
    Package("gcc-riscv64-linux-gnu", "compiles the virt kernel, programs for RISC-V, and, in tests, what knows no instruction set"),
    Package("opensbi", "firmware of the virt board"),
    Package("device-tree-compiler", "dtc, makes the device trees of ppc405 guests"),
    Package(
        "linux-source-6.1",
        "Linux for the 405 and for guests in ring 1 is built from it (linux40x:vmlinux, linux586:vmlinux)",
        last_debian=12,
    ),
    Package("flex", "used by the configuration of Linux and busybox"),
    Package("bison", "used by the configuration of Linux and busybox"),
    Package("bc", "used by the build of Linux"),
    Package("xz-utils", "unpacks the source of Linux"),
    Package("bzip2", "unpacks the source of busybox"),
    Package(
        "gcc-riscv64-unknown-elf",
        "compiles the firmware and the programs of the manycore board; its library is that of 32-bit RISC-V kernels and processes",
    ),
    Package("qemu-system-misc", "the manycore and virt boards: qemu-system-riscv64 and -riscv32"),
    Package("gdb-multiarch", "debugging the ppc405 kernel (run --gdb)"),
    Package("gdb", "debugging the kernel (run --gdb)"),
    Package("libcmocka-dev", "unit tests of kernel code on this machine", True),
    Package("clang", "fuzzers (libFuzzer) with sanitizers", True),
    Package("libclang-rt-dev", "the fuzzers' run time", True),
    Package("clang-format", "make format", True),
    Package("clang-tidy", "make lint", True),
    Package("cppcheck", "make lint", True),
    Package("acpica-tools", "iasl, which checks the guests' ACPI tables", True),
    Package("cpio", "reads the archives that we write, which a test compares", True),
    Package("systemd", "systemd-analyze, which reads the unit of the attach shape", True),
    Package("spin", "model checks of the locking and scheduling protocols", True),
)


def debian_release() -> int:
    """The major number of this Debian; 12 for what does not say (testing, another distribution)."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return 12
    number = release.get("VERSION_ID", "").split(".")[0]
    return int(number) if release.get("ID") == "debian" and number.isdigit() else 12


PACKAGES = tuple(package for package in EVERY if debian_release() <= package.last_debian)


def installed() -> dict[str, str]:
    """Version of each of our packages that is installed."""
    query = ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status} ${Version}\\n", *(p.name for p in PACKAGES)]
    try:
        lines = subprocess.run(query, capture_output=True, text=True, check=False).stdout.splitlines()
    except FileNotFoundError:
        return {}
    words = [line.split() for line in lines]
    return {w[0]: w[2] for w in words if len(w) == 3 and w[1] == "installed"}


def missing() -> list[Package]:
    """Those that are not installed."""
    have = installed()
    return [package for package in PACKAGES if package.name not in have]
