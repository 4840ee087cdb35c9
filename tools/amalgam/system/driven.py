# SPDX-License-Identifier: MIT
"""Devices of the board that processes drive (`devices` of a process): their names, and who has which. The kernel checks all of it again
(kernel/device/grant.c), and whether the board has them."""

from __future__ import annotations

import re

from amalgam.system import model
from amalgam.system.model import Domain, Kind, System
from amalgam.system.reader import Map
from amalgam.system.source import Diagnostics, Mark

CLASSES = ("rtl8139",)  # of kernel/include/hal/device.h
MOST = 4  # of a class: each has an interrupt line of its own (HAL_LINES)
NAME = re.compile(rf"({'|'.join(CLASSES)})-([0-{MOST - 1}])")


def read_driven(m: Map) -> list[tuple[str, Mark]]:
    """Names, each CLASS-NUMBER."""
    found = m.words("devices", f"names from {CLASSES[0]}-0 to {CLASSES[0]}-{MOST - 1}", lambda text: text if NAME.fullmatch(text) else None)
    if len(found) > model.MAX_DRIVEN:
        m.diag.error(m.at("devices"), f"{len(found)} devices of one process", f"a process drives at most {model.MAX_DRIVEN}")
        del found[model.MAX_DRIVEN :]
    return found


def check_driven(system: System, diag: Diagnostics) -> None:
    """The board's kernel has to lend devices, and a device has one driver."""
    owners: dict[str, Domain] = {}
    for domain in (d for d in system.domains if d.kind == Kind.PROCESS):
        if domain.driven and system.board and not system.board.devices:
            diag.error(
                domain.where("devices"),
                f"'{domain.name}' drives devices, but the kernel of the board {system.board.name} lends none",
                "say 'board: q35'",
            )
        for name, mark in domain.driven:
            if name in owners:
                diag.error(mark, f"'{domain.name}' drives {name}, which '{owners[name].name}' has already", "a device has one driver")
            owners.setdefault(name, domain)


def cards(system: System) -> int:
    """How many network cards an emulated board needs, so that the last one has the name that was said."""
    numbers = [int(name.rpartition("-")[2]) for domain in system.domains for name, _ in domain.driven]
    return max(numbers, default=-1) + 1
