# SPDX-License-Identifier: MIT
"""Ports of the guests' switches that processes have (`ports` of a process): which, and who has a switch's uplink. The kernel checks them again
(kernel/net/process_port.c)."""

from __future__ import annotations

import re

from amalgam.system import model
from amalgam.system.model import Domain, System
from amalgam.system.reader import Map
from amalgam.system.source import Diagnostics, Mark

UPLINK = "uplink-"
MOST = 7  # as of a guest's network device
NAME = re.compile(rf"({UPLINK})?([0-{MOST}])")


def read_ports(m: Map) -> list[tuple[str, Mark]]:
    """Numbers of switches, and uplink-NUMBER."""
    found = m.words("ports", f"switches such as 0 or {UPLINK}{MOST}", lambda text: text if NAME.fullmatch(text) else None)
    if len(found) > model.MAX_PORTS:
        m.diag.error(m.at("ports"), f"{len(found)} ports of one process", f"a process has at most {model.MAX_PORTS}")
        del found[model.MAX_PORTS :]
    return found


def port_bits(name: str) -> int:
    """As enum sys_port of the kernel has it."""
    switch = int(name.removeprefix(UPLINK))
    return switch | model.KERNEL["SYS_PORT"] | (model.KERNEL["SYS_PORT_UPLINK"] if name.startswith(UPLINK) else 0)


def check_ports(system: System, diag: Diagnostics) -> None:
    """The board's kernel has to have such ports, and a switch has one uplink."""
    owners: dict[str, Domain] = {}
    for domain in system.domains:
        if domain.ports and system.board and not system.kernel_has("NET_PORT"):
            diag.error(
                domain.where("ports"),
                f"'{domain.name}' has ports of switches, and the kernel of the board {system.board.name} (shape {system.shape()}) gives none",
                "say 'board: i586-linux' or 'board: scc-linux'",
            )
        for name, mark in domain.ports:
            if name.startswith(UPLINK) and len(domain.ues) > 1:
                wrong = f"'{domain.name}' would have {name} on {len(domain.ues)} cores"
                diag.error(mark, wrong, "a switch has one uplink: say 'ues: [0]', where the board's cards are")
            if name.startswith(UPLINK) and name in owners:
                diag.error(mark, f"'{domain.name}' has {name}, as '{owners[name].name}' has already", "a switch has one uplink")
            owners.setdefault(name, domain)
