# SPDX-License-Identifier: MIT
"""What the parts of a partitioned system can only be wrong about together: cores, channels, devices, memory; windows and plans: frames.py."""

from __future__ import annotations

from amalgam.errors import nearest
from amalgam.system.check import check_channel_names
from amalgam.system.partition import model
from amalgam.system.partition.frames import check_plan, place_in_time
from amalgam.system.partition.model import Action, Channel, Partition, PartitionSystem, VmFlag
from amalgam.system.reader import suggest
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_size

# What may be lent is listed: a device that is not here may reach memory by itself (PCI, DMA, MAL), be where memory is (OCM, the memory
# controllers), stop the chip (CPC0), or be the kernel's (UART0, the interrupt controller).
LENT_PAGES = {0xF0000000: "memory with a battery", 0xF0001000: "the same with the clock"}
LENT_DCRS = {range(0x084, 0x088): "the bus arbiter", range(0x0A0, 0x0A5): "the bridge to the peripheral bus"}
KERNEL_INPUTS = {0: "UART0, the line of all consoles", 1: "UART1, by which cores ring each other"}


def check_system(system: PartitionSystem, diag: Diagnostics) -> None:
    """All rules that need no file; defaults that depend on the whole are filled in."""
    if len(system.domains) > model.MAX_DOMAINS:
        diag.error(system.domains[model.MAX_DOMAINS].mark, f"{len(system.domains)} domains", f"a system has at most {model.MAX_DOMAINS}")
    if len(system.plans) > model.MAX_PLANS:
        diag.error(system.where("plans"), f"{len(system.plans)} plans with 'frames'", f"at most {model.MAX_PLANS}")
    for domain in system.domains:
        check_domain(system, domain, diag)
    check_levels(system, diag)
    check_focus(system, diag)
    check_devices(system, diag)
    for plan in system.plans:
        check_plan(system, plan, diag)
    place_in_time(system, diag)
    check_channels(system, diag)


def check_levels(system: PartitionSystem, diag: Diagnostics) -> None:
    """Who is more urgent in the file is so in the kernel, which has fewer levels."""
    first: dict[int, Partition] = {}
    for domain in system.domains:
        other = first.setdefault(domain.level, domain)
        if other.priority != domain.priority:
            most = model.PRIORITY_MOST - domain.level * model.PRIORITIES_A_LEVEL
            least = max(most - model.PRIORITIES_A_LEVEL + 1, 1)
            diag.error(
                domain.where("priority"),
                f"'{domain.name}' has priority {domain.priority} and '{other.name}' {other.priority}, which are one level of this kernel",
                f"{least} to {most} are one: give them the same number, or one of them another level's",
            )


def check_domain(system: PartitionSystem, domain: Partition, diag: Diagnostics) -> None:
    for core, mark in domain.cores:
        if core >= system.cores:
            diag.error(
                mark,
                f"'{domain.name}' wants core {core}, but the board has {system.cores}",
                f"use 0 to {system.cores - 1}, or give the board more with 'cores: {core + 1}'",
            )
    if not domain.cores:
        domain.cores = [(core, domain.mark) for core in range(system.cores)]
    needs = [("irfm", VmFlag.IRFM in domain.flags), ("previrt", domain.previrt), ("monitor", VmFlag.HEALTH_MONITOR in domain.flags)]
    for key, wanted in needs:
        if wanted and VmFlag.HYPERCALLS not in domain.flags:
            diag.error(domain.where("hypercalls"), f"'{key}' of '{domain.name}' needs hypercalls", "remove 'hypercalls: false'")
    if VmFlag.TLB not in domain.flags:
        diag.error(
            domain.where("tlb"),
            f"nothing keeps '{domain.name}' from using translation",
            "leave 'tlb' out: the kernel gives every domain a TLB",
        )
    if domain.previrt and VmFlag.IRFM not in domain.flags:
        diag.error(domain.where("irfm"), f"'previrt' of '{domain.name}' needs the register page", "remove 'irfm: false'")
    if domain.device_tree and "r3" in domain.registers:
        diag.error(domain.where("registers"), "r3 is the address of the device tree", "leave r3 out, or say 'dtb: none'")
    if "initrd" in domain.at and not domain.device_tree:
        diag.error(
            domain.where("initrd"), f"'initrd' is handed over in the device tree, and '{domain.name}' has none", "remove 'dtb: none'"
        )
    if domain.cmdline and "r6" in domain.registers:
        diag.error(domain.where("registers"), "r6 is the address of the command line", "leave r6 out, or the command line")
    plans = [plan.name for plan in system.plans]
    for event, health in domain.health.items():
        if health.action == Action.PLAN and health.plan not in plans:
            diag.error(
                health.mark or domain.where("health"),
                f"'{event}' of '{domain.name}' changes to '{health.plan}', which is no plan{nearest(health.plan, plans)}",
                f"the plans are {', '.join(plans)}",
            )
    chosen = {health.plan for health in domain.health.values() if health.action == Action.PLAN}
    if len(chosen) > 1:
        diag.error(domain.where("health"), f"'{domain.name}' changes to {len(chosen)} different plans", "a domain names one plan")


def check_focus(system: PartitionSystem, diag: Diagnostics) -> None:
    focused = [d for d in system.domains if VmFlag.FOCUS in d.flags]
    for domain in focused[1:]:
        diag.error(
            domain.where("focus"),
            f"'{domain.name}' and '{focused[0].name}' both want the console's focus",
            "only one domain says 'focus: true'",
        )
    if not focused and system.domains:
        system.domains[0].flags |= VmFlag.FOCUS


def check_devices(system: PartitionSystem, diag: Diagnostics) -> None:
    owners = [(d, d.device) for d in system.domains if d.device]
    for domain, device in owners:
        if len({core for core, _ in domain.cores}) > 1:
            diag.error(device.mark, f"'{domain.name}' has a device of a core, but may run on several", "bind it to one with 'cores: [0]'")
        if device.page and device.page not in LENT_PAGES:
            known = ", ".join(f"{page:#x} ({what})" for page, what in LENT_PAGES.items())
            diag.error(device.where("page"), f"the page {device.page:#x} is none that can be lent", f"these are: {known}")
        dcrs = set(range(device.dcr_first, device.dcr_first + device.dcr_count))
        if not any(dcrs <= set(of_one) for of_one in LENT_DCRS):
            known = ", ".join(f"{numbers[0]:#x} to {numbers[-1]:#x} ({what})" for numbers, what in LENT_DCRS.items())
            diag.error(
                device.where("dcr"),
                f"the DCRs {min(dcrs):#x} to {max(dcrs):#x} are not of one device that can be lent",
                f"these are: {known}",
            )
        for number, mark in device.interrupts:
            if number in KERNEL_INPUTS:
                diag.error(mark, f"input {number} is the interrupt of {KERNEL_INPUTS[number]}", "leave it out")
    for index, (domain, device) in enumerate(owners):
        for other, first in owners[:index]:
            if {core for core, _ in other.cores} & {core for core, _ in domain.cores}:
                check_shared(domain, device, other, first, diag)


def check_shared(domain: Partition, device: model.Owned, other: Partition, first: model.Owned, diag: Diagnostics) -> None:
    """Two owners on one core."""
    taken = f"already belongs to '{other.name}' on the same core"
    if device.page and device.page == first.page:
        diag.error(device.where("page"), f"the page {device.page:#x} {taken}", "a device has one owner")
    if device.dcr_first < first.dcr_first + first.dcr_count and first.dcr_first < device.dcr_first + device.dcr_count:
        diag.error(device.where("dcr"), f"one of these DCRs {taken}", "a device has one owner")
    for number, mark in device.interrupts:
        if number in [n for n, _ in first.interrupts]:
            diag.error(mark, f"input {number} {taken}", "a device has one owner")


def check_memory(system: PartitionSystem, diag: Diagnostics) -> None:
    """Domains and channels against the board's memory; placing them has given each its base."""
    if not system.board or not system.domains:
        return
    end = max([d.base + d.memory for d in system.domains] + [c.base + c.size for c in system.channels])
    if end > system.memory:
        mark = system.where("memory") if "memory" in system.at else system.domains[-1].where("memory")
        enough = [size for size in sorted(system.board.memories) if size >= end]
        diag.error(
            mark,
            f"domains and channels, each aligned to its largest page, end at {show_size(end)}, but the board has {show_size(system.memory)}",
            f"say 'memory: {show_size(enough[0])}' for the system, or give the domains less"
            if enough
            else f"the board has at most {show_size(max(system.board.memories))}",
        )


def check_channels(system: PartitionSystem, diag: Diagnostics) -> None:
    check_channel_names(system.channels, model.MAX_CHANNELS, diag)
    for channel in system.channels:
        check_channel(system, channel, diag)
    for domain in system.domains:
        opened = [c for c in system.channels if domain.device_tree and domain.name in [name for name, _ in c.between]]
        for channel in opened[model.MAX_OPEN :]:
            diag.error(
                channel.where("between"),
                f"'{domain.name}' has {len(opened)} channels in its device tree",
                f"a domain with a device tree has at most {model.MAX_OPEN}",
            )


def check_channel(system: PartitionSystem, channel: Channel, diag: Diagnostics) -> None:
    ends = [name for name, _ in channel.between]
    if "between" in channel.at and (len(ends) != 2 or ends[0] == ends[1]):
        diag.error(channel.where("between"), f"a channel between {' and '.join(ends) or 'nobody'}", "name exactly two different domains")
    for name, mark in channel.between:
        domain = system.domain(name)
        if domain is None:
            diag.error(mark, f"there is no domain '{name}'", suggest(name, [d.name for d in system.domains]))
        elif VmFlag.HYPERCALLS not in domain.flags and not domain.device_tree:
            diag.error(
                mark,
                f"'{name}' may not make hypercalls, so it could not open the channel, and has no device tree that describes it",
                "say 'hypercalls: true' there, or 'dtb: auto'",
            )
    for name, mark in channel.write:
        if name not in ends:
            diag.error(mark, f"'{name}' is not an end of channel '{channel.name}'", f"writers are among {', '.join(ends)}")
    if channel.size > model.TUNNEL_STEP:
        diag.error(
            channel.where("size" if "size" in channel.at else "message"),
            f"channel '{channel.name}' takes {show_size(channel.size)}",
            f"guests see channels {show_size(model.TUNNEL_STEP)} apart",
        )
    if channel.type == "tunnel":
        if "write" in channel.at and not channel.write:
            diag.error(channel.where("write"), f"nobody may write channel '{channel.name}'", "name one of its ends or both")
        return
    if len(channel.write) != 1:
        diag.error(
            channel.where("write"),
            f"a {channel.type} port has one source, '{channel.name}' has {len(channel.write)}",
            "name it: 'write: NAME'",
        )
    from amalgam.system.partition.read import port_size

    least = port_size(channel.type, channel.message, channel.depth)
    if channel.size < least:
        diag.error(
            channel.where("size"),
            f"{show_size(channel.size)} cannot hold {channel.depth} message(s) of {channel.message} bytes",
            f"leave 'size' out, or say {show_size(least)}",
        )
