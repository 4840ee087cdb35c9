# SPDX-License-Identifier: MIT
"""The scc-fleet board for a person and for `scc boot` and `scc reset`: a core is reset by ending its process and starting another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from amalgam import paths
from amalgam.board.echo import echo_consoles
from amalgam.board.scc_fleet import DOORBELL, SccFleet, SccFleetBoard
from amalgam.errors import UserError
from amalgam.scc.boot import serve
from amalgam.scc.images import Images
from amalgam.scc.reset import await_kernel


@dataclass
class BootedFleet:
    """A fleet that runs."""

    board: SccFleetBoard

    def reset(self, cores: Sequence[int], timeout: float = 60) -> None:
        """End these cores, then start them anew; returns when their kernels are up."""
        if 0 in cores or not set(cores) <= set(self.board.nodes):
            raise UserError("only cores that were booted are reset, and not core 0, which prints for them", "reset LIST", 2)
        start = len(self.board.kernel.text)
        self.board.restart(cores)
        for core in cores:
            await_kernel(self.board, core, start, timeout)


@contextmanager
def booted_fleet(images: Images, chosen: Sequence[int], logs: Path | None = None) -> Iterator[BootedFleet]:
    """A fleet whose cores have their memory and start-up code from merged images runs meanwhile."""
    own = yaml.safe_load((paths.BOARDS / "scc-fleet.yaml").read_text(encoding="utf-8"))
    fleet = SccFleet(own["machine"], own["cpu"], program=own["emulator"], chosen=chosen)
    fleet.fill = lambda core, file, life: images.load(file, core, chosen, 0, fleet.own(core), life, DOORBELL)
    fleet.start_up = Path(fleet.folder.name) / "reset.bin"
    fleet.start_up.write_bytes(images.start_up)
    with fleet.board(images.domains, logs) as board:
        yield BootedFleet(board)


def interactive(fleet: SccFleet, domains: Sequence[str], logs: Path | None) -> tuple[int, str]:
    """Show what all say; lines typed go to core 0's control console, until the end of input or of the board. Returns the status, and what
    the kernels said."""
    with fleet.board(domains, logs) as board:
        echo_consoles(board)
        return serve(BootedFleet(board), None), board.kernel.text
