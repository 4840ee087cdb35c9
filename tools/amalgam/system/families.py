# SPDX-License-Identifier: MIT
"""The families of boards, by the word `family` of boards/NAME.yaml (without it: pc)."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from amalgam.system.family import Family

PC = "pc"


@dataclass(frozen=True)
class Row:
    """The class that knows the systems, the one that starts the boards, and the commands that go with the systems beside those that go
    with all: both classes as MODULE.CLASS, imported when they are needed."""

    systems: str
    machine: str
    commands: tuple[str, ...] = ()


FAMILIES = {
    PC: Row("usual.Usual", "machine.Machine", ("iso", "monitor", "trace")),
    "bochs": Row("usual.Usual", "bochs.BochsIntel", ("iso",)),
    "virt": Row("usual.Usual", "virt.VirtMachine"),
    "scc": Row("usual.Usual", "scc.SccMachine", ("iso", "scc")),
    "scc-fleet": Row("usual.Usual", "scc_fleet.SccFleet", ("iso",)),
    "ppc405": Row("partition.compile.Partitions", "fleet.Fleet"),
    "manycore": Row("clusters.compile.Clusters", "manycore.Manycore", ("trace",)),
    "manycore-fleet": Row("clusters.compile.Clusters", "manycore_fleet.ManycoreFleet"),
}


def alike(name: str) -> tuple[str, ...]:
    """The families whose systems are of the same class as those of `name`."""
    return tuple(family for family, row in FAMILIES.items() if row.systems == FAMILIES[name].systems)


@cache
def family_named(name: str) -> Family[Any]:
    """The family that a board names; the PCs' for any other word: its readers complain then."""
    row = FAMILIES.get(name, FAMILIES[PC])
    module, _, kind = row.systems.rpartition(".")
    made: Family[Any] = getattr(importlib.import_module(f"amalgam.system.{module}"), kind)(f"amalgam.board.{row.machine}", row.commands)
    return made
