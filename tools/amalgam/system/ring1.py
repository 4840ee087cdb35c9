# SPDX-License-Identifier: MIT
"""Guests in ring 1 of a Pentium: what they have, and how they learn of it. Nothing on their bus can be asked, and they have no ACPI."""

from __future__ import annotations

from amalgam.system import model
from amalgam.system.layout import PC_PLACES
from amalgam.system.model import Boot, Device, Domain
from amalgam.system.source import Diagnostics

PLACE = PC_PLACES.constants


def check_ring1(domain: Domain, diag: Diagnostics) -> None:
    """A guest in ring 1 has one vCPU, a console, a timer, its tunnels, devices, and nothing else."""
    for key, there in (("modules", domain.modules), ("acpi", domain.acpi), ("kvm", domain.kvm)):
        if there:
            diag.error(domain.where(key), f"'{domain.name}' is a guest in ring 1, which has no '{key}'", "leave it out")
    if domain.vcpus != 1:
        diag.error(domain.where("vcpus"), f"'{domain.name}' is a guest in ring 1, which has one vCPU", "leave 'vcpus' out")


def line(device: Device) -> int:
    """The interrupt line of a device whose slot is known."""
    assert device.slot is not None
    return PLACE["RING1_LINE"] + device.slot % PLACE["RING1_LINES"]


def command_line(domain: Domain) -> str:
    """A domain's own, behind what tells Linux of the devices of a guest in ring 1."""
    words = [
        f"virtio_mmio.device={PLACE['VIRTIO_STRIDE']}@{PLACE['VIRTIO_BASE'] + PLACE['VIRTIO_STRIDE'] * device.slot:#x}:{line(device)}"
        for device in domain.devices
        if domain.boot == Boot.LINUX32 and device.type in model.VIRTIO and device.slot is not None
    ]
    return " ".join(filter(None, [*words, domain.cmdline]))
