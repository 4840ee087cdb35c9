# SPDX-License-Identifier: MIT
"""Counting a kernel's work exactly: tools/plugin/visits.c in the emulator, its findings here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from amalgam.errors import UserError
from amalgam.measure import plugin


@dataclass
class Count:
    """`n` samples of something in instructions."""

    n: int
    low: int
    high: int
    total: int

    def __add__(self, other: Count) -> Count:
        return Count(self.n + other.n, min(self.low, other.low), max(self.high, other.high), self.total + other.total)

    @property
    def mean(self) -> float:
        return self.total / self.n


@dataclass
class Findings:
    """What a run cost. `guest` and `kernel` are instructions of the whole run, idle loops not in them."""

    guest: int = 0
    kernel: int = 0
    idle: int = 0
    start: int = 0  # the kernel's, before the first of a guest
    visits: dict[tuple[int, int], Count] = field(default_factory=dict)  # (entry, guest pc) -> instructions of a visit
    calls: dict[int, Count] = field(default_factory=dict)  # routine -> instructions of a call
    spans: dict[tuple[int, int], Count] = field(default_factory=dict)  # (mark, next mark) -> instructions between
    paths: dict[int, list[int]] = field(default_factory=dict)  # guest pc -> kernel addresses of its latest visit

    def at(self, pc: int, samples: int = 1) -> Count:
        """All visits from one guest instruction; an error when there were fewer than `samples`."""
        found = [count for (_, where), count in self.visits.items() if where == pc]
        total = sum(count.n for count in found)
        if total < samples:
            raise UserError(
                f"the kernel was entered {total} times from {pc:#x}, {samples} were asked for",
                "the guest did not run what was to be measured",
            )
        merged = found[0]
        for count in found[1:]:
            merged = merged + count
        return merged


def note_routines(found: Findings, kernel: Path, into: Path) -> None:
    """Keep the largest count of each routine and vector that a run has shown, for `amalgam wcet` to compare."""
    names = {address: name for name, address in symbols(kernel, plain=False).items()}
    kept = json.loads(into.read_text(encoding="utf-8")) if into.is_file() else {}
    stamp = f"{kernel.stat().st_size}-{kernel.stat().st_mtime_ns}"
    if kept.get("kernel") != stamp:
        kept = {"kernel": stamp}  # of another kernel
    for address, count in found.calls.items():
        if address in names:
            kept[names[address]] = max(count.high, kept.get(names[address], 0))
    for (entry, _pc), count in found.visits.items():
        if entry in names:
            kept[names[entry]] = max(count.high, kept.get(names[entry], 0))
    into.write_text(json.dumps(kept, indent=1, sort_keys=True), encoding="utf-8")


def text_range(elf: Path) -> tuple[int, int]:
    """Lowest and highest address of the code of a program."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    with elf.open("rb") as file:
        code = [s for s in ELFFile(file).iter_sections() if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and s["sh_size"]]
        return min(s["sh_addr"] for s in code), max(s["sh_addr"] + s["sh_size"] for s in code)


def symbols(elf: Path, plain: bool = True) -> dict[str, int]:
    """Addresses by name; `plain` leaves out the suffix that the compiler gave a local copy (`lock.constprop.0`)."""
    from elftools.elf.elffile import ELFFile

    with elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        found = {s.name: s["st_value"] for s in table.iter_symbols() if s.name}
    return {name.partition(".")[0] or name: address for name, address in found.items()} if plain else found


def options(kernel: Path | None, out: Path, idle: Iterable[tuple[int, int]] = (), **ranges: tuple[int, int] | bool) -> list[str]:
    """Words for QEMU: count the kernel `kernel` (None: a guest on the bare board); `path=(lo, hi)`, `idle`, `light=True` as the
    plugin's header says."""
    low, high = text_range(kernel) if kernel else (0, 0)
    words = f"{plugin.built('visits')},lo={low:#x},hi={high:#x},out={out}"
    words += "".join(f",idle_lo={first:#x},idle_hi={end:#x}" for first, end in idle)
    for name, value in ranges.items():
        words += f",{name}_lo={value[0]:#x},{name}_hi={value[1]:#x}" if isinstance(value, tuple) else f",{name}=on" if value else ""
    return ["-plugin", words]


def read(out: Path) -> Findings:
    """Parse what the plugin wrote when the board ended."""
    if not out.is_file():
        raise UserError("the counting plugin wrote nothing", "the board must end by itself or by SIGTERM, not by SIGKILL")
    found = Findings()
    for line in out.read_text(encoding="utf-8").splitlines():
        kind, *words = line.split()
        if kind == "total":
            everything, found.kernel, found.idle = map(int, words)
            found.guest = everything - found.kernel
        elif kind == "start":
            found.start = int(words[0])
        elif kind == "visit":
            found.visits[int(words[0], 16), int(words[1], 16)] = Count(*map(int, words[2:]))
        elif kind == "call":
            found.calls[int(words[0], 16)] = Count(*map(int, words[1:]))
        elif kind == "span":
            found.spans[int(words[0], 16), int(words[1], 16)] = Count(*map(int, words[2:]))
        elif kind == "path":
            found.paths[int(words[0], 16)] = [int(word, 16) for word in words[1:]]
        else:
            raise UserError(f"the counting plugin ran out of room: {line}", "measure a shorter run")
    return found
