# SPDX-License-Identifier: MIT
"""`scc boot`: a board whose memory was loaded from merged images, and which boots some of its cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml

from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.dead import Memory
from amalgam.board.scc import BOARD_MEMORY, SccMachine
from amalgam.scc.images import Images

COUNTED_KHZ = 1_000_000  # an emulator that counts instructions: one a nanosecond


@contextmanager
def booted(images: Images, chosen: Sequence[int], icount: bool = False, logs: Path | None = None) -> Iterator[Board]:
    """The board runs meanwhile. Its ROM and memory are what the images say."""
    own = yaml.safe_load((paths.BOARDS / "scc.yaml").read_text(encoding="utf-8"))
    with Memory(BOARD_MEMORY) as memory:
        machine = SccMachine(
            own["machine"], own["cpu"], program=own["emulator"], chosen=chosen, icount=icount, ram=memory.file, loaded=True
        )
        machine.serial_ports = own["serial_ports"]
        machine.start_up = Path(machine.folder.name) / "reset.bin"
        machine.start_up.write_bytes(images.start_up)
        for core in chosen:
            images.load(memory.file, core, chosen, COUNTED_KHZ if icount else 0)
        with Board(machine, images.domains, keep=logs) as board:
            yield board
