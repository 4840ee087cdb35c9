# SPDX-License-Identifier: MIT
"""`ues`: the cores of an SCC on which a native program or a process runs. RCCE calls them units of execution."""

from __future__ import annotations

import yaml

from amalgam.board.scc import CORES
from amalgam.system.model import Domain, DomainFlag, System
from amalgam.system.reader import Map, to_int
from amalgam.system.source import Diagnostics


def read_ues(m: Map) -> list[int]:
    """A number of them, or a list; all if not said."""
    found = m.words("ues", f"core numbers up to {CORES - 1}", lambda text: value if 0 <= (value := to_int(text) or 0) <= CORES else None)
    numbers = [number for number, _mark in found]
    if numbers and isinstance(m.nodes["ues"], yaml.ScalarNode):
        numbers = list(range(numbers[0]))
    if m.has("ues") and (not numbers or len(set(numbers)) < len(numbers) or max(numbers) >= CORES):
        m.diag.error(m.at("ues"), "'ues' is no number of cores and no list of different ones", f"write 'ues: {CORES}', or 'ues: [0, 47]'")
        return [0]
    return numbers or list(range(CORES))


def check_ues(system: System, domain: Domain, diag: Diagnostics) -> None:
    """Of a process: only an SCC has them, all if not said, and only core 0 can power it off."""
    shape = system.board.shape if system.board else "scc"
    if shape != "scc" and domain.ues:
        diag.error(
            domain.where("ues"), f"'ues' are cores of an SCC, and a board of shape {shape} has none", "leave it out, or say 'board: scc'"
        )
    if shape == "scc":
        domain.ues = domain.ues or list(range(CORES))
        if DomainFlag.POWER_BOARD in domain.flags and 0 not in domain.ues:
            diag.error(
                domain.where("power"),
                f"core 0 powers the board off, and '{domain.name}' does not run there",
                "add 0 to its 'ues', or leave 'power' out",
            )
