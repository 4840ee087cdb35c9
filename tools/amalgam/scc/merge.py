# SPDX-License-Identifier: MIT
"""`scc merge`: kernel, system image, start-up code and information become one image a memory controller, with the rules of the LUTs.

An image is the controller's memory as the cores find it when they leave reset: slice after slice, with holes where nothing lies. The
folder also has `board.json`: the rules, and what `scc boot` must know of the system.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from amalgam.board.scc import CORES, SLICE, Piece, SccMachine
from amalgam.errors import UserError
from amalgam.scc import rules
from amalgam.scc.controllers import CONTROLLERS, START_UP, slices_of
from amalgam.system.units import MIB

RECORD = "board.json"
FORMAT = 1
START_UP_BYTES = 64 * 1024


def image_path(folder: Path, controller: str) -> Path:
    return folder / f"{controller}.img"


def merge(machine: SccMachine, about: dict[str, Any], folder: Path) -> list[rules.Rule]:
    """Write the images and board.json. `about` is kept in the latter. Returns the rules."""
    made = rules.made()
    rules.check(made)
    start_up = machine.kernel.with_name("reset.bin").read_bytes()
    if len(start_up) != START_UP_BYTES:
        raise UserError(f"the start-up code has {len(start_up)} bytes and not {START_UP_BYTES}", "./amalgam build scc")
    folder.mkdir(parents=True, exist_ok=True)
    where = {rule.core: (rule.controller, rule.slice) for rule in made if rule.entry == rules.OWN_ENTRY}
    for controller in CONTROLLERS:
        with image_path(folder, controller).open("wb") as file:
            file.truncate(slices_of(controller) * SLICE)
            for core in range(CORES):
                if where[core][0] == controller:
                    for piece in checked(core, machine.pieces(core)):
                        file.seek(where[core][1] * SLICE + piece.at)
                        file.write(piece.bytes())
            file.seek((START_UP + 1) * SLICE - START_UP_BYTES)
            file.write(start_up)
    record = {"format": FORMAT, **about, "rules": rules.rows(made)}
    (folder / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return made


def checked(core: int, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces of a core's memory, none of which reaches into another one or beyond its slice."""
    ordered = sorted(pieces, key=lambda piece: piece.at)
    for piece, behind in zip(ordered, [*(p for p in ordered[1:]), Piece("end of its slice", b"", SLICE)], strict=True):
        end = piece.at + len(piece.bytes())
        if end > behind.at:
            raise UserError(
                f"core {core}: the {piece.name} ends at {end:#x}, behind the {behind.name} at {behind.at:#x}",
                f"a core has {SLICE // MIB} MiB; docs/scc.md has the memory map",
            )
    return ordered
