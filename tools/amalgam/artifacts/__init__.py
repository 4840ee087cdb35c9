# SPDX-License-Identifier: MIT
"""Files that a system names but nobody keeps: fetched or made on demand into the cache."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from amalgam import paths, proc
from amalgam.building import building
from amalgam.errors import SiteError, UserError
from amalgam.ui import Progress, say


def stock_bzimage(cache: Path, log: Progress, meta: str = "") -> Path:
    """The bzImage of the stock kernel, or of the kernel of package `meta`."""
    from amalgam.artifacts import kernel

    return kernel.build(cache, log, meta or kernel.META)


def stock_vmlinux(cache: Path, log: Progress, meta: str = "") -> Path:
    """The ELF inside it, for PVH."""
    from amalgam.artifacts import kernel

    return kernel.vmlinux(cache, log, stock_bzimage(cache, log, meta))


def shell_initrd(cache: Path, log: Progress, meta: str = "") -> Path:
    """Busybox, modules, a shell; for the kernel of package `meta` instead of the stock one."""
    from amalgam.artifacts import initrd, kernel

    return initrd.build(cache, log, meta=meta or kernel.META)


def bench_initrd(cache: Path, log: Progress) -> Path:
    """The same with the bench programs and KVM."""
    from amalgam.artifacts import initrd

    return initrd.build(cache, log, "bench")


def stress_initrd(cache: Path, log: Progress) -> Path:
    """The same with stress-ng and its libraries."""
    from amalgam.artifacts import initrd

    return initrd.build(cache, log, "stress")


def tunnel_initrd(cache: Path, log: Progress) -> Path:
    """The same with the tunnel's UIO module and program."""
    from amalgam.artifacts import initrd

    return initrd.build(cache, log, "tunnel")


def attach_initrd(cache: Path, log: Progress, meta: str = "") -> Path:
    """The same with modules for the load of tests, and KVM; of package `meta` instead of the stock kernel."""
    from amalgam.artifacts import initrd, kernel

    return initrd.build(cache, log, "attach", meta=meta or kernel.META)


def debian_disk(cache: Path, log: Progress) -> Path:
    """A Debian with systemd."""
    from amalgam.artifacts import disk

    return disk.build(cache, log)


def xen_hypervisor(cache: Path, log: Progress) -> Path:
    """Xen, for Multiboot."""
    from amalgam.artifacts import xen

    return xen.build(cache, log)


DEBIAN: dict[str, Callable[..., Path]] = {
    "vmlinuz": stock_bzimage,
    "vmlinux": stock_vmlinux,
    "initrd": shell_initrd,
    "initrd-bench": bench_initrd,
    "initrd-stress": stress_initrd,
    "initrd-tunnel": tunnel_initrd,
    "initrd-attach": attach_initrd,
    "disk": debian_disk,
    "xen": xen_hypervisor,
}


def linux40x_kernel(cache: Path, log: Progress, **variant: bool) -> Path:
    """Linux for the 405, as an ELF file; as kernel405.kernel() says."""
    from amalgam.artifacts import kernel405

    return kernel405.kernel(cache, log, **variant)


def linux40x_initrd(cache: Path, log: Progress) -> Path:
    """Busybox and our test programs for it."""
    from amalgam.artifacts import userland405

    return userland405.initrd(cache, log)


LINUX40X: dict[str, Callable[..., Path]] = {
    "vmlinux": linux40x_kernel,
    "vmlinux-para": partial(linux40x_kernel, para=True),
    "vmlinux-defaults": partial(linux40x_kernel, defaults=True),
    "vmlinux-defaults-para": partial(linux40x_kernel, para=True, defaults=True),
    "initrd": linux40x_initrd,
}


def linux586_kernel(cache: Path, log: Progress, para: bool = True, later: bool = False) -> Path:
    """Linux for a Pentium, a guest in ring 1, as an ELF file; not `para`: one that knows nothing of that; `later`: 6.12."""
    from amalgam.artifacts import kernel586

    return kernel586.kernel(cache, log, para, "linux-source-6.12" if later else kernel586.SOURCE)


def linux586_bare(cache: Path, log: Progress) -> Path:
    """The same Linux for the bare board."""
    from amalgam.artifacts import kernel586

    return kernel586.bare(cache, log)


def linux586_initrd(cache: Path, log: Progress) -> Path:
    """Busybox and our test programs for it."""
    from amalgam.artifacts import userland586

    return userland586.initrd(cache, log)


LINUX586: dict[str, Callable[..., Path]] = {
    "vmlinux": linux586_kernel,
    "bzImage": linux586_bare,
    "vmlinux-native": partial(linux586_kernel, para=False),
    "vmlinux-6.12": partial(linux586_kernel, later=True),
    "initrd": linux586_initrd,
}


KINDS: dict[str, dict[str, Callable[..., Path]]] = {"debian": DEBIAN, "linux40x": LINUX40X, "linux586": LINUX586}


def piece(kind: str, name: str, progress: Progress, **options: str) -> Path:
    """Make (or find in the cache) KIND:NAME; `options` are its maker's."""
    from amalgam.artifacts.error import ArtifactError

    progress(f"{kind}:{name}")
    try:
        return KINDS[kind][name](paths.CACHE, progress, **options)
    except ArtifactError as error:
        raise UserError(f"{kind}:{name}: {error}", "./amalgam doctor says what this machine lacks") from error


def debian(name: str, progress: Progress, **options: str) -> Path:
    """debian:NAME; `meta` names another kernel's package where NAME has one."""
    return piece("debian", name, progress, **options)


def linux40x_program(name: str, progress: Progress) -> Path:
    """A program of guests/linux40x, as it is in the initrd."""
    from amalgam.artifacts import userland405
    from amalgam.artifacts.error import ArtifactError

    try:
        return userland405.program(paths.CACHE, userland405.HERE / f"{name}.c", progress)
    except ArtifactError as error:
        raise UserError(f"guests/linux40x/{name}.c: {error}", "./amalgam doctor says what this machine lacks") from error


def ppc405_emulator() -> list[str]:
    """The words that a command of the ppc405 board begins with. Fetched on first use where the machine's own emulator has no such board."""
    from amalgam.artifacts import emulator

    return older_emulator("the emulator of the ppc405 board", lambda: emulator.ppc405(paths.CACHE, say))


def counting(command: Sequence[str]) -> list[str]:
    """`command`, by an emulator that takes our plugins if it has one. Fetched on first use where the machine's own does not."""
    from amalgam.artifacts import emulator

    if "-plugin" not in command or Path(command[0]).name not in emulator.PROGRAMS:
        return list(command)
    return [*older_emulator("an emulator for our plugins", lambda: emulator.counting(paths.CACHE, command[0], say)), *command[1:]]


def older_emulator(what: str, of: Callable[[], Sequence[str]]) -> list[str]:
    """What `of` finds or unpacks. UserError: it cannot."""
    from amalgam.artifacts.error import ArtifactError

    try:
        return list(of())
    except ArtifactError as error:
        raise UserError(f"{what}: {error}", "allow apt to read Debian 12's packages (network, site), or run on Debian 12") from error


def choose_emulator() -> None:
    """Where AMALGAM_QEMU is 10 that one's programs come first in PATH, for us and for what we start. Fetched on first use. UserError."""
    from amalgam.artifacts import qemu10

    wanted = os.environ.get("AMALGAM_QEMU", "")
    if wanted not in ("", qemu10.VERSION):
        raise UserError(
            f"AMALGAM_QEMU is '{wanted}'", f"'{qemu10.VERSION}' is the other version that is known; without it: the machine's own", 2
        )
    if wanted and not qemu10.is_machines_own():
        folder = str(second_emulator(f"QEMU {qemu10.VERSION}", lambda: qemu10.folder(paths.CACHE, say)))
        path = os.environ.get("PATH", os.defpath)
        if path.split(os.pathsep)[0] != folder:
            os.environ["PATH"] = folder + os.pathsep + path


def spike_program() -> Path:
    """Spike's program, fetched on first use. SiteError: it is not here and cannot be fetched; UserError."""
    from amalgam.artifacts import spike

    return second_emulator("Spike", lambda: spike.program(paths.CACHE, say))


def spike_devices() -> Path:
    """The library with the devices of QEMU's machine that Spike lacks; as spike_program()."""
    from amalgam.artifacts import spike

    return second_emulator("Spike's devices", lambda: spike.devices(paths.CACHE, say))


def bochs_folder() -> Path:
    """Bochs and all that it needs, fetched on first use. UserError."""
    from amalgam.artifacts import bochs

    return second_emulator("Bochs", lambda: bochs.folder(paths.CACHE, say))


def pypcode_folder() -> Path:
    """pypcode, to be imported from there, fetched on first use; as spike_program()."""
    from amalgam.artifacts import pypcode

    return second_emulator("pypcode", lambda: pypcode.folder(paths.CACHE, say))


def second_emulator(what: str, of: Callable[[], Path]) -> Path:
    """What `of` finds or unpacks. SiteError: a site was not reached; UserError: anything else."""
    from amalgam.artifacts.error import ArtifactError, NotFetchedError

    try:
        return of()
    except NotFetchedError as error:
        raise SiteError(f"{what}: {error}", "check the network") from error
    except ArtifactError as error:
        raise UserError(f"{what}: {error}", "./amalgam doctor says what this machine lacks") from error


def bochs_command(folder: Path) -> list[str]:
    """The words that a command of bochs_folder() begins with."""
    from amalgam.artifacts import bochs

    return bochs.command(folder)


def guests_source(shape: str) -> Path:
    """Where the small guests of a shape have their Makefile."""
    return paths.ROOT / "guests" / ("" if shape == "pc" else shape)


def guests_folder(shape: str) -> Path:
    """Where their images go."""
    return paths.BUILD / "guests" / ("" if shape == "pc" else shape)


@building()
def make_guests(progress: Progress, shape: str = "pc") -> None:
    """Build the small guests of a shape."""
    source = guests_source(shape)
    if (source / "Makefile").is_file():
        progress(f"building {source.relative_to(paths.ROOT)}/")
        proc.run(["make", "-s", "-j2", "-C", source, f"PYTHON={sys.executable}"], "building the guests")


def guest_names(shape: str = "pc") -> list[str]:
    """What build:NAME can be: the products that the guests' Makefile names or has made."""
    made = {p.name for p in guests_folder(shape).glob("*") if p.suffix in (".elf", ".bin")}
    source = guests_source(shape)
    if (source / "Makefile").is_file():
        text = (source / "Makefile").read_text(encoding="utf-8")
        left_out = re.search(r"^GUESTS := .*filter-out ([\w ]+),", text, re.MULTILINE)  # folders that are no guest of their own
        folders = {p.name for p in source.iterdir() if p.is_dir()} - set(left_out[1].split()) if left_out else set()
        made |= {f"{name}.elf" for name in folders or {p.stem for p in source.glob("*.c")}}
        made |= set(re.findall(r"[\w-]+\.(?:elf|bin)\b", text))
    return sorted(made - {"NAME.elf", "NAME.bin"})
