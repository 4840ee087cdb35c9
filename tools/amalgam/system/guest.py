# SPDX-License-Identifier: MIT
"""`run guest`: the system file that a user would have written for one kernel."""

from __future__ import annotations

import argparse
import fcntl
import itertools
from pathlib import Path
from typing import TextIO

import yaml

from amalgam import paths
from amalgam.errors import UserError
from amalgam.system.kernels import KernelImage, examine
from amalgam.system.model import Boot
from amalgam.system.patched import Native
from amalgam.system.units import GIB, KIB, MIB, parse_size, show_size

_held: list[TextIO] = []  # the files of this process's guests, which are locked
PREFERENCE = (Boot.LINUX64, Boot.PVH, Boot.MULTIBOOT2, Boot.MULTIBOOT1)


def existing(path: Path | None, option: str) -> str | None:
    """The absolute path of a file given on the command line."""
    if path is None:
        return None
    if not path.is_file():
        raise UserError(f"{option}: there is no file '{path}'", "check the path")
    return str(path.resolve())


def guest_file(args: argparse.Namespace) -> Path:
    """Write a system file for the options of `run guest` into build/systems/."""
    args.board = args.board or "q35"
    args.cpus = 1 if args.cpus is None else args.cpus
    kernel = existing(args.kernel, "--kernel")
    assert kernel
    if args.board == "ref405ep":
        return written(partition_system(args, kernel))
    if args.board == "i586-linux":
        return written(ring1_system(args, kernel))
    if args.dtb:
        raise UserError("--dtb goes with the ref405ep board only", "leave it out", 2)
    memory = parse_size(args.memory or "512M")
    if not memory or memory % (2 * MIB):
        raise UserError(f"--memory {args.memory} is not allowed", "use a multiple of 2M, e.g. 512M", 2)
    if not 1 <= args.cpus <= 8:
        raise UserError(f"--cpus {args.cpus} is not allowed", "use 1 to 8", 2)
    boot = Boot[args.boot.upper()] if args.boot else way_in(kernel, args.kernel)
    linux = boot in (Boot.LINUX64, Boot.PVH)
    cmdline = args.append if args.append is not None else "console=ttyS0" if linux else ""
    devices: list[dict[str, object]] = [{"type": "uart"}]
    if boot == Boot.RAW:
        devices.append({"type": "pc"})
    elif "console=hvc" in cmdline:
        devices.append({"type": "console"})  # a virtio console takes the keyboard: only for who wants it
    if linux:
        devices.append({"type": "rng"})
    if args.disk:
        devices.append({"type": "block", "image": existing(args.disk, "--disk")})
    domain: dict[str, object] = {
        "boot": boot.name.lower(),
        "kernel": kernel,
        "memory": show_size(memory),
        "vcpus": args.cpus,
        "devices": devices,
        "focus": True,
        "power": "board",
        "restart": ["reset"],
    }
    for key, value in (("initrd", existing(args.initrd, "--initrd")), ("cmdline", cmdline)):
        if value:
            domain[key] = value
    system = {
        "system": "guest",
        "board": args.board,
        "memory": board_memory(2 * GIB, memory + 256 * MIB, args),
        "domains": {"guest": domain},
    }
    return written(system)


def board_memory(least: int, needed: int, args: argparse.Namespace) -> str:
    """What the board has: at least `least`, and `needed` with room for the files of the command line."""
    images = sum(path.stat().st_size for path in (args.kernel, args.initrd, args.disk) if path)
    return show_size(max(least, -(-(needed + images) // MIB) * MIB))


def way_in(kernel: str, shown: Path) -> Boot:
    """The best way that an image offers. Bytes that nothing is known of are not run unasked."""
    found = examine(Path(kernel), whole=False)
    if not found.ways:
        raise UserError(
            f"'{shown}' is {found.what}" + (f", but {found.wrong}" if found.wrong else ": it has no way in that we know"),
            next_step(found, kernel),
        )
    return next(b for b in PREFERENCE if b in found.ways)


def next_step(found: KernelImage, kernel: str) -> str:
    """What to do with a file that has no way in."""
    if command := found.unpacking(kernel):
        return f"{command}, and name what comes out"
    raw = "" if found.is_elf else "; if these bytes are 32-bit code that is to be run as it is, say --boot raw"
    return f"docs/guests.md says which images start{raw}"


def written(system: dict[str, object]) -> Path:
    """The file that says it, guest.yaml; guest-2.yaml and so on while others run: nobody writes it as long as this process lives."""
    folder = paths.BUILD / "systems"
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        path = folder / (f"guest-{number}.yaml" if number > 1 else "guest.yaml")
        file = path.open("a", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        _held.append(file)
        file.truncate(0)
        file.write(yaml.safe_dump(system, sort_keys=False, width=1000))
        file.flush()
        return path
    raise AssertionError


def partition_system(args: argparse.Namespace, kernel: str) -> dict[str, object]:
    """One guest alone on a ref405ep. It gets a device tree in r3 and its command line in r6: who wants neither does not look."""
    if args.disk or args.boot:
        raise UserError("--disk and --boot do not go with the ref405ep board", "leave them out", 2)
    if not 1 <= args.cpus <= 8:
        raise UserError(f"--cpus {args.cpus} is not allowed", "use 1 to 8", 2)
    memory = parse_size(args.memory or "32M")
    if not memory or memory % (64 * KIB) or memory > 496 * MIB:
        raise UserError(f"--memory {args.memory} is not allowed", "use a multiple of 64K up to 496M, e.g. 32M", 2)
    domain: dict[str, object] = {"kernel": kernel, "memory": show_size(memory), "focus": True, "power": "board"}
    for key, value in (("initrd", existing(args.initrd, "--initrd")), ("dtb", existing(args.dtb, "--dtb")), ("cmdline", args.append)):
        if value:
            domain[key] = value
    domain.setdefault("dtb", "auto")
    board = next(size for size in (128, 256, 512) if size * MIB >= memory + 16 * MIB)
    return {"system": "guest", "board": "ref405ep", "cores": args.cpus, "memory": f"{board}M", "domains": {"guest": domain}}


def ring1_system(args: argparse.Namespace, kernel: str) -> dict[str, object]:
    """One guest alone in ring 1 of a Pentium (docs/i586-linux.md)."""
    if args.boot or args.dtb or args.cpus != 1:
        raise UserError("a guest in ring 1 has one processor, and no --boot and --dtb", "leave them out", 2)
    memory = parse_size(args.memory or "16M")
    if not memory:
        raise UserError(f"--memory {args.memory} is not allowed", "use a size, e.g. 16M", 2)
    native = Native(Path(kernel).read_bytes()).native()
    devices: list[dict[str, object]] = [{"type": "uart"}, {"type": "pc"}] if native else []
    if args.disk:
        devices.append({"type": "block", "image": existing(args.disk, "--disk")})
    domain: dict[str, object] = {
        "kernel": kernel,
        "memory": show_size(memory),
        "cmdline": args.append if args.append is not None else "console=ttyS0" if native else "console=hvc0",
        "devices": devices,
        "focus": True,
        "power": "board",
        "restart": ["reset"],
    }
    if initrd := existing(args.initrd, "--initrd"):
        domain["initrd"] = initrd
    room = board_memory(128 * MIB, memory + 32 * MIB, args)
    return {"system": "guest", "board": "i586-linux", "memory": room, "domains": {"guest": domain}}
