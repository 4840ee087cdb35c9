# SPDX-License-Identifier: MIT
"""A folder that `scc merge` wrote, and its way into a board's memory: what sccBoot does for the chip.

The files may have been changed or mixed since: rules, sizes, start-up code and each core's information are checked before anything is
loaded. Which cores boot, the rate of an emulated counter, and how often a core was loaded are written into the information then.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from amalgam import paths
from amalgam.board.scc import CORES, DIRECTORY, INFO, MAGIC, SLICE, directory, life_number, lut, own_memory
from amalgam.board.seeds import seed
from amalgam.errors import UserError
from amalgam.scc import rules
from amalgam.scc.controllers import CONTROLLERS, START_UP, controller_of, cores_of, slices_of
from amalgam.scc.merge import FORMAT, RECORD, START_UP_BYTES, image_path

CHOSEN, KHZ, LUT = INFO + 8, INFO + 28, INFO + 32  # struct scc_info
LIFE = LUT + 1024 + 8
AGAIN = "merge anew: ./amalgam scc merge"


class Images:
    """The images of a folder; checked when this is made."""

    def __init__(self, folder: Path):
        self.folder = folder
        record = self.record()
        self.domains: list[str] = record["domains"]
        rules.check(rules.read(record.get("rules")))
        for controller in CONTROLLERS:
            path, wanted = image_path(folder, controller), slices_of(controller) * SLICE
            if not path.is_file() or path.stat().st_size != wanted:
                raise UserError(f"{paths.shown(path)} is no image of {wanted:,} bytes", AGAIN)
        self.start_up = self.read(CONTROLLERS[0], (START_UP + 1) * SLICE - START_UP_BYTES, START_UP_BYTES)
        for controller in CONTROLLERS:
            if self.read(controller, (START_UP + 1) * SLICE - START_UP_BYTES, START_UP_BYTES) != self.start_up:
                raise UserError(f"the start-up code of {controller} and of {CONTROLLERS[0]} differ: images of two merges", AGAIN)

    def record(self) -> dict[str, Any]:
        path = self.folder / RECORD
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"there are no merged images in {paths.shown(self.folder)}: {RECORD}: {error}", AGAIN) from error
        domains = record.get("domains") if isinstance(record, dict) and record.get("format") == FORMAT else None
        if not isinstance(domains, list) or not all(isinstance(name, str) for name in domains):
            raise UserError(f"{paths.shown(path)} is not of format {FORMAT}, or lists no domains", AGAIN)
        return record

    def read(self, controller: str, at: int, size: int) -> bytes:
        with image_path(self.folder, controller).open("rb") as file:
            file.seek(at)
            return file.read(size)

    def own(self, core: int, at: int, size: int) -> bytes:
        """Bytes of a core's own memory."""
        return self.read(controller_of(core), cores_of(controller_of(core)).index(core) * SLICE + at, size)

    def check_core(self, core: int) -> None:
        """Refuse a slice whose information is of another core, or whose LUT is another one than the rules'."""
        magic, number, *_, memory, _, _, _ = struct.unpack("<8I", self.own(core, INFO, 32))
        where = f"core {core}: its memory in {controller_of(core)}.img"
        if magic != MAGIC or memory != SLICE:
            raise UserError(f"{where} has no information at {INFO:#x}", AGAIN)
        if number != core:
            raise UserError(f"{where} has the information of core {number}", AGAIN)
        if self.own(core, LUT, 1024) != struct.pack("<256I", *lut(own_memory(core))) or self.own(core, DIRECTORY, 4096) != directory(
            lut(own_memory(core))
        ):
            raise UserError(f"{where} has another LUT than the rules say", AGAIN)

    def load(self, memory: int, core: int, chosen: Sequence[int], khz: int, base: int, life: int, doorbell: int = 0) -> None:
        """Put a core's slice into a file, at `base` of the emulator's memory, whose bytes there are 0. The information's first word comes
        last: a core that waits for it finds all the rest. `life` counts its loads from 1 on; `doorbell`: struct scc_info's."""
        self.check_core(core)
        controller, entries = controller_of(core), lut(base)
        with image_path(self.folder, controller).open("rb") as file:
            for at, data in pieces(file.fileno(), cores_of(controller).index(core) * SLICE):
                if at <= INFO < at + len(data):
                    data = data[: INFO - at] + bytes(4) + data[INFO - at + 4 :]
                os.pwrite(memory, data, base + at)
        os.pwrite(memory, directory(entries), base + DIRECTORY)
        os.pwrite(memory, struct.pack("<256II", *entries, doorbell), base + LUT)
        os.pwrite(memory, struct.pack("<Q", sum(1 << number for number in chosen)), base + CHOSEN)
        os.pwrite(memory, struct.pack("<I", khz), base + KHZ)
        os.pwrite(memory, struct.pack("<I", life_number(life)) + seed(khz != 0, core, life), base + LIFE)
        os.pwrite(memory, struct.pack("<I", MAGIC), base + INFO)


def pieces(file: int, start: int) -> Iterator[tuple[int, bytes]]:
    """What a slice has between its holes: places in it, and bytes."""
    at, end = start, start + SLICE
    while at < end:
        try:
            at = os.lseek(file, at, os.SEEK_DATA)
        except OSError:  # ENXIO: nothing but a hole
            return
        hole = min(os.lseek(file, at, os.SEEK_HOLE), end)
        if at < end:
            yield at - start, os.pread(file, hole - at, at)
        at = hole


def cores_from(text: str) -> list[int]:
    """The cores of a list as 0,5,12-17."""
    cores: set[int] = set()
    for word in text.split(","):
        first, _, last = word.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or int(first) > int(last or first) or int(last or first) >= CORES:
            raise UserError(f"'{word}' is no core or range of cores", f"there are the cores 0 to {CORES - 1}, e.g. --cores 0,5,12-17", 2)
        cores |= set(range(int(first), int(last or first) + 1))
    return sorted(cores)
