# SPDX-License-Identifier: MIT
"""Looking into a running fleet's shared memory: where things are and how they are laid out is asked of the kernel's ELF file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

from amalgam.board.fleet import FleetBoard
from amalgam.errors import UserError

EVENTS = ("fault", "reset", "overrun", "start", "order", "lock-lost")  # enum pt_event, then EVENT_* of partition/record.h
ACTIONS = ("stop", "restart", "ignore", "plan")
STATES = ("stopped", "ready", "running", "idle")


@lru_cache(maxsize=4)
def layout_of(kernel: Path, _when: int) -> Layout:
    """Read once for each build: it takes seconds."""
    return Layout(kernel)


class Layout:
    """Symbols and types of a kernel."""

    def __init__(self, path: Path):
        self.structs: dict[str, DIE] = {}
        self.symbols: dict[str, int] = {}
        with path.open("rb") as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".symtab")
            if not elf.has_dwarf_info() or table is None:
                raise UserError(f"{path} has no debugging information", "./amalgam build ppc405")
            self.symbols = {s.name: s["st_value"] for s in table.iter_symbols()}
            self.sizes: dict[str, int] = {}
            self.members: dict[str, dict[str, tuple[int, Any]]] = {}
            for unit in elf.get_dwarf_info().iter_CUs():
                for die in unit.iter_DIEs():
                    self._learn(die)

    def _learn(self, die: DIE) -> None:
        name = die.attributes.get("DW_AT_name")
        if die.tag != "DW_TAG_structure_type" or not name or "DW_AT_byte_size" not in die.attributes:
            return
        key = name.value.decode()
        self.sizes[key] = die.attributes["DW_AT_byte_size"].value
        self.members[key] = {
            child.attributes["DW_AT_name"].value.decode(): (child.attributes["DW_AT_data_member_location"].value, shape(child))
            for child in die.iter_children()
            if "DW_AT_name" in child.attributes and "DW_AT_data_member_location" in child.attributes
        }

    def read(self, ram: Any, address: int, kind: str) -> dict[str, Any]:
        """A struct in memory, as a dictionary."""
        return {name: self._value(ram, address + at, how) for name, (at, how) in self.members[kind].items()}

    def _value(self, ram: Any, address: int, how: Any) -> Any:
        match how:
            case ("struct", name):
                return self.read(ram, address, name)
            case ("array", inner, count, size):
                return [self._value(ram, address + i * size, inner) for i in range(count)]
            case ("number", size):
                return int.from_bytes(ram[address : address + size], "big")
        return None


def shape(die: DIE) -> Any:
    """What a member is: a number of some size, a struct, an array of one of these."""
    kind = die.get_DIE_from_attribute("DW_AT_type")
    while kind.tag in ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"):
        if "DW_AT_type" not in kind.attributes:
            return None
        kind = kind.get_DIE_from_attribute("DW_AT_type")
    if kind.tag == "DW_TAG_structure_type":
        name = kind.attributes.get("DW_AT_name")
        return ("struct", name.value.decode()) if name else None
    if kind.tag == "DW_TAG_array_type":
        inner = shape(kind)
        bounds = [
            child.attributes["DW_AT_upper_bound"].value + 1 for child in kind.iter_children() if "DW_AT_upper_bound" in child.attributes
        ]
        element = kind.get_DIE_from_attribute("DW_AT_type")
        return ("array", inner, bounds[0], size_of(element)) if len(bounds) == 1 and inner else None
    return ("number", size_of(kind))


def size_of(kind: DIE) -> int:
    """Bytes of a type."""
    while "DW_AT_byte_size" not in kind.attributes:
        kind = kind.get_DIE_from_attribute("DW_AT_type")
    return int(kind.attributes["DW_AT_byte_size"].value)


@dataclass
class Event:
    """One line of the event log."""

    vm: str
    when: int  # time base, low half, of the core where it happened
    event: str
    action: str
    core: int
    life: int
    code: int
    value: int


class Memory:
    """The kernel's records of a running (or just ended) board."""

    def __init__(self, board: FleetBoard):
        self.board = board
        self.layout = layout_of(board.fleet.kernel, board.fleet.kernel.stat().st_mtime_ns)

    def vm(self, name: str) -> dict[str, Any]:
        """The record of a guest: state, runs, used, core, exits, ..."""
        index = self.board.names.index(name)
        at = self.layout.symbols["vm_records"] + index * self.layout.sizes["vm_record"] + self.layout.members["vm_record"]["vm"][0]
        return self.layout.read(self.board.ram, at, "vm")

    def shared(self) -> dict[str, Any]:
        """What all cores have in common: cores, plan, over, ..."""
        return self.layout.read(self.board.ram, self.layout.symbols["shared"], "shared")

    def times(self, core: int) -> dict[str, Any]:
        """How many windows have begun on a core, and how late."""
        at = self.layout.symbols["core_times"] + core * self.layout.sizes["core_times"]
        return self.layout.read(self.board.ram, at, "core_times")

    def state(self, name: str) -> str:
        return STATES[self.vm(name)["state"]]

    def events(self, name: str) -> list[Event]:
        """What is still in a guest's log, oldest first."""
        part = self.vm(name)["part"]
        ring, count = part["events"], part["n_events"]
        found = []
        for number in range(max(0, count - len(ring)), count):
            e = ring[number % len(ring)]
            found.append(Event(name, e["when"], EVENTS[e["event"]], ACTIONS[e["action"]], e["core"], e["run"], e["code"], e["value"]))
        return found
