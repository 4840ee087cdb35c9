# SPDX-License-Identifier: MIT
"""What the parts of a system can only be wrong about together: who uses which core, slot, interrupt, memory, time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from amalgam.system import model
from amalgam.system.driven import check_driven
from amalgam.system.frames import check_frame
from amalgam.system.layout import PC_PLACES
from amalgam.system.model import Boot, Channel, DeviceType, Domain, DomainFlag, Kind, System
from amalgam.system.natives import check_native
from amalgam.system.ports import check_ports
from amalgam.system.processes import check_process
from amalgam.system.reader import suggest
from amalgam.system.ring1 import check_ring1, line
from amalgam.system.source import Diagnostics, Placed
from amalgam.system.spawned import check_spawn
from amalgam.system.ues import check_joins, check_strong, check_ues, most_on_a_core, share_chip
from amalgam.system.units import KIB, MIB, show_size

RAM_HOLE = PC_PLACES.constants["RAM_HOLE"]
P = TypeVar("P", bound=Placed)
ACPI_START = PC_PLACES.constants["FIRMWARE_BASE"]
ACPI_END = 0x100000  # above where every guest finds its ACPI tables, and above the code at F000:FFF0
LINUX_LEAST = 64 * MIB


def check_system(system: System, diag: Diagnostics) -> None:
    """All rules that need no file; free device slots are filled in."""
    if len(system.domains) > model.MAX_DOMAINS and not any(d.slots for d in system.domains):
        diag.error(system.domains[model.MAX_DOMAINS].mark, f"{len(system.domains)} domains", f"a system has at most {model.MAX_DOMAINS}")
    for domain in system.domains:
        check_placement(system, domain, diag)
        if domain.kind == Kind.VM:
            check_guest(system, domain, diag)
            check_devices(domain, diag)
        if domain.kind == Kind.PROCESS:
            check_process(system, domain, diag)
        if domain.kind == Kind.NATIVE:
            check_native(system, domain, diag)
    share_chip(system, diag)
    check_driven(system, diag)
    check_ports(system, diag)
    check_spawn(system, diag)
    check_focus(system, diag)
    check_networks(system, diag)
    for frame in system.frames:
        check_frame(system, frame, diag)
    for frame, first in repeated(system.frames, lambda f: f.core):
        diag.error(frame.where("core"), f"core {frame.core} has two frames", f"merge it with the frame in line {first.mark.line}")
    check_channels(system, diag)
    check_host(system, diag)


def repeated(things: Iterable[P], key) -> list[tuple[P, P]]:
    """Pairs (later one, first one) of things whose key (not None) is the same."""
    seen: dict[Hashable, P] = {}
    found = []
    for thing in things:
        value = key(thing)
        if value is None:
            continue
        if value in seen:
            found.append((thing, seen[value]))
        seen.setdefault(value, thing)
    return found


def check_placement(system: System, domain: Domain, diag: Diagnostics) -> None:
    if len(domain.cores) != domain.vcpus:
        diag.error(
            domain.where("cores"),
            f"{len(domain.cores)} core(s) for {domain.vcpus} vCPU(s) of '{domain.name}'",
            "list exactly one core for each vCPU, in order; a core may be named twice",
        )
    here, key = ("cluster", "harts") if system.board and system.board.is_cluster() else ("board", "cores")
    for core, mark in domain.cores:
        if core >= system.cores:
            diag.error(
                mark,
                f"'{domain.name}' wants core {core}, but the {here} has {system.cores}",
                f"use 0 to {system.cores - 1}, or give the {here} more with '{key}: {core + 1}'",
            )
    if domain.kind == Kind.TASK and domain.vcpus != 1:
        diag.error(
            domain.where("vcpus"),
            f"task '{domain.name}' has {domain.vcpus} vCPUs",
            "a task is one thread: leave 'vcpus' out",
        )


def check_guest(system: System, domain: Domain, diag: Diagnostics) -> None:
    if system.board and not system.board.guests:
        diag.error(
            domain.mark,
            f"'{domain.name}' is a VM, but the board {system.board.name} has no support for guests",
            "choose another board, or say 'kind: task' or 'kind: process'",
        )
    if system.board and system.board.guests and (domain.boot == Boot.LINUX32) != system.board.ring1():
        diag.error(
            domain.where("boot"),
            f"'{domain.name}' is to be booted by {domain.boot.name.lower()}, but guests of the board {system.board.name} are not",
            "leave 'boot' out, or choose another board: guests in ring 1 are booted by linux32, and no others are",
        )
    if system.board and (system.board.is_scc() or "ues" in domain.at):
        check_ues(system, domain, diag)
    if domain.boot == Boot.LINUX32:
        check_ring1(domain, diag)
    check_strong(system, domain, diag)
    if domain.joins:
        check_joins(system, domain, diag)
    if domain.boot == Boot.LINUX64 and domain.memory < LINUX_LEAST and "memory" in domain.at:
        diag.error(
            domain.where("memory"),
            f"{show_size(domain.memory)} is too little for a Linux kernel",
            f"give it {show_size(LINUX_LEAST)} or more",
        )
    if domain.boot == Boot.RAW and not 0x1000 <= domain.entry < min(domain.memory, RAM_HOLE):
        diag.error(
            domain.where("entry"),
            f"the entry {domain.entry:#x} lies outside the memory of '{domain.name}'",
            f"use 0x1000 to {min(domain.memory, RAM_HOLE) - 1:#x}",
        )
    if domain.boot == Boot.RAW and domain.acpi and ACPI_START <= domain.entry < ACPI_END:
        diag.error(
            domain.where("entry"),
            f"the entry {domain.entry:#x} overlaps the ACPI tables at {ACPI_START:#x}",
            f"use {ACPI_END:#x} or above, or 'acpi: false'",
        )
    kinds = [device.type for device in domain.devices]
    for word, device in (("ttyS0", DeviceType.UART), ("hvc0", DeviceType.CONSOLE)):
        if domain.boot != Boot.LINUX32 and f"console={word}" in domain.cmdline.replace(",", " ").split() and device not in kinds:
            diag.error(
                domain.where("cmdline"),
                f"'console={word}' needs a device that '{domain.name}' has not",
                f"add '{{type: {device.name.lower()}}}' to its devices",
            )


def check_devices(domain: Domain, diag: Diagnostics) -> None:
    if len(domain.devices) > model.MAX_DEVICES:
        diag.error(
            domain.where("devices"),
            f"'{domain.name}' has {len(domain.devices)} devices (the 'pc' devices count as one)",
            f"at most {model.MAX_DEVICES}",
        )
    virtio = [d for d in domain.devices if d.type in model.VIRTIO]
    for later, first in repeated(virtio, lambda d: d.slot):
        diag.error(
            later.where("slot"),
            f"slot {later.slot}, and with it interrupt {line(later) if domain.boot == Boot.LINUX32 else later.irq()}, belongs to the device in line {first.mark.line}",
            "choose a free slot, or leave 'slot' out",
        )
    taken = {d.slot for d in virtio}
    free = [slot for slot in range(model.MAX_SLOTS) if slot not in taken]
    for device in virtio:
        if device.slot is None:
            device.slot = free.pop(0) if free else model.MAX_SLOTS - 1
    uarts = [d for d in domain.devices if d.type == DeviceType.UART]
    doubles = repeated(uarts, lambda d: d.slot)
    for later, _ in doubles:
        diag.error(later.where("port"), f"'{domain.name}' has COM{later.slot + 1} twice", "give each uart its own 'port', or leave one out")
    for later, first in repeated(uarts, lambda d: d.irq()):
        if (later, first) not in doubles:
            diag.error(
                later.where("port"),
                f"COM{later.slot + 1} would share interrupt {later.irq()} with COM{first.slot + 1}",
                "COM1 and COM3 exclude each other, as do COM2 and COM4",
            )
    for kind in (DeviceType.PC, DeviceType.CONSOLE, DeviceType.RNG):
        for later, _ in repeated([d for d in domain.devices if d.type == kind], lambda d: d.type):
            diag.error(later.mark, f"'{domain.name}' has two '{kind.name.lower()}' devices", "leave one out")


def check_focus(system: System, diag: Diagnostics) -> None:
    focused = [d for d in system.domains if DomainFlag.FOCUS in d.flags]
    for domain in focused[1:]:
        diag.error(
            domain.where("focus"),
            f"'{domain.name}' and '{focused[0].name}' both want the console's focus",
            "only one domain says 'focus: true'",
        )
    if not focused and system.domains:
        speaks = [d for d in system.domains if {DeviceType.UART, DeviceType.CONSOLE} & {device.type for device in d.devices}]
        first = (speaks or system.domains)[0]
        first.flags |= DomainFlag.FOCUS


def check_memory(system: System, image: int, diag: Diagnostics) -> None:
    """Domains, kernel and the images (as far as they are known) against what the board has."""
    if not system.board or not system.domains:
        return
    used = most_on_a_core(system)
    need = used + system.board.kernel_memory + image
    if need > system.memory:
        mark = system.where("memory") if "memory" in system.at else system.domains[-1].where("memory")
        parts = f"the domains' {show_size(used)}, the kernel's {show_size(system.board.kernel_memory)}"
        parts += f" and the images' {show_size(image)}" if image else ""
        enough = -(-need // MIB) * MIB
        most = system.board.max_memory
        diag.error(
            mark,
            f"{parts} do not fit the board's {show_size(system.memory)}",
            f"say 'memory: {show_size(enough)}' for the system, or give the domains less"
            if enough <= most
            else f"the board has at most {show_size(most)}",
        )


def check_networks(system: System, diag: Diagnostics) -> None:
    cards = []
    for number, domain in enumerate(system.domains):
        for index, device in enumerate(domain.devices):
            if device.type == DeviceType.NET:
                if not any(device.mac):
                    device.mac = bytes((0x02, 0x41, 0x4D, 0x47, number, index))  # locally administered, "AMG"
                cards.append(device)
    for later, first in repeated(cards, lambda d: (d.net, d.mac)):
        diag.error(
            later.where("mac"),
            f"address {later.mac.hex(':')} is already that of the device in line {first.mark.line} on switch {later.net}",
            "give each device its own, or leave 'mac' out",
        )


def check_channel_names(channels: Sequence[Placed], limit: int, diag: Diagnostics) -> None:
    """Of a system of any shape: not too many channels, each with a name of its own."""
    if len(channels) > limit:
        diag.error(channels[limit].mark, f"{len(channels)} channels", f"a system has at most {limit}")
    for later, first in repeated(channels, lambda c: c.name or None):
        diag.error(later.where("name"), f"'{later.name}' already names the channel in line {first.mark.line}", "names are unique")


def check_channels(system: System, diag: Diagnostics) -> None:
    check_channel_names(system.channels, model.MAX_CHANNELS, diag)
    for channel in system.channels:
        check_channel(system, channel, diag)


def check_channel(system: System, channel: Channel, diag: Diagnostics) -> None:
    ends = [name for name, _ in channel.between]
    if "between" in channel.at and (len(ends) != 2 or ends[0] == ends[1]):
        diag.error(channel.where("between"), f"a channel between {' and '.join(ends) or 'nobody'}", "name exactly two different domains")
    for name, mark in channel.between:
        domain = system.domain(name)
        if name == model.HOST and domain is None:
            continue  # check_host()
        if domain is None:
            diag.error(mark, f"there is no domain '{name}'", suggest(name, [d.name for d in system.domains]))
        elif domain.kind not in (Kind.VM, Kind.PROCESS):
            diag.error(mark, f"'{name}' is a {domain.kind.name.lower()}", "channels join VMs and processes")
        elif domain.kind == Kind.VM and DomainFlag.HYPERCALLS not in domain.flags:
            diag.error(mark, f"'{name}' may not make hypercalls, so it could not ring the doorbell", "remove its 'hypercalls: false'")
    for name, mark in channel.write:
        if name not in ends:
            diag.error(mark, f"'{name}' is not an end of channel '{channel.name}'", f"writers are among {', '.join(ends)}")
    cores = [set(domain.ues) for name in ends if (domain := system.domain(name)) and domain.ues]
    if len(cores) == 2 and not cores[0] & cores[1]:
        diag.error(
            channel.where("between"),
            f"no core runs both {' and '.join(ends)}",
            "kernels share no channel: give their 'ues' a core in common",
        )
    if "write" in channel.at and not channel.write:
        diag.error(channel.where("write"), f"nobody may write channel '{channel.name}'", "name one of its ends or both")


def check_host(system: System, diag: Diagnostics) -> None:
    """What has its other half in a Linux wants a board where there is one."""
    disks = [device for domain in system.domains for device in domain.devices if device.backend]
    ends = [mark for channel in system.channels for name, mark in channel.between if name == model.HOST]
    for later, first in repeated(disks, lambda d: d.backend):
        diag.error(later.where("backend"), f"'{later.backend}' is the back end in line {first.mark.line} already", "each disk has its own")
    if not system.board or system.board.has("ATTACH"):
        if domain := system.domain(model.HOST):
            diag.error(domain.mark, "'host' means the Linux beneath which the kernel is attached", "choose another name")
        return
    wrong = f"on the board '{system.board.name}' the kernel stands on the bare machine: there is no Linux"
    for device in disks:
        diag.error(device.where("backend"), f"{wrong} to have a back end", "give the disk an 'image', or say 'board: attached'")
    for mark in ends if not system.domain(model.HOST) else []:
        diag.error(mark, f"{wrong} 'host'", "name a domain, or say 'board: attached'")


def smallest_memory(domain: Domain, kernel: int, least: int, initrd: int) -> int:
    """What a domain's memory must at least hold: its kernel where it runs, and its initrd on whole pages above that."""
    if domain.boot == Boot.RAW:
        return domain.entry + kernel
    return max(least, MIB) + -(-initrd // (4 * KIB)) * 4 * KIB
