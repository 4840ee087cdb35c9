# SPDX-License-Identifier: MIT
"""The manycore-fleet board: an emulator a cluster, one shared file and doorbells among them (ivshmem); used like Board.

Nothing repeats here, as each process has a clock of its own. A cluster can be ended as a broken machine ends, and started again alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from amalgam.board.debugger import typed
from amalgam.board.ivshmem import Server
from amalgam.board.manycore import Manycore
from amalgam.board.nodes import Node, NodesBoard
from amalgam.board.seeds import seed
from amalgam.board.started import Refusal
from amalgam.system.clusters import model, table
from amalgam.system.clusters.compile import fleet_image
from amalgam.system.clusters.model import ClusterSystem, Kind


@dataclass
class ManycoreFleet(Manycore):
    """What to start: `images`, `sizes` (harts) and the board's power by cluster; `harts` and `image` of the base are not used."""

    images: list[Path] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    powerful: list[int] = field(default_factory=list)  # I/O clusters: with the end of one the run ends
    shared: int = 0  # bytes of the NoC slice
    device: str = "ivshmem-doorbell,chardev=peers,vectors=1"

    GDB_NOTE = ""
    REFUSES = (
        Refusal(("icount",), "--icount has no meaning for a fleet: each emulator has a clock of its own", "use the board manycore"),
        *Manycore.REFUSES,
    )

    @classmethod
    def of(cls, system: ClusterSystem, image: Path) -> ManycoreFleet:
        """`image`: as compile_system() returned it."""
        made, clusters = super().of(system, image), system.clusters
        assert isinstance(made, ManycoreFleet)
        made.images = [fleet_image(image, c.number) for c in clusters]
        made.sizes = [c.harts for c in clusters]
        made.powerful = [c.number for c in clusters if c.kind == Kind.IO]
        made.shared = system.noc_size
        return made

    def debuggers(self) -> list[tuple[str, str]]:
        clusters = zip(self.names, self.kernels, strict=True)
        return [(f"cluster {i} ({name})", typed(self.gdb_port + i, kernel)) for i, (name, kernel) in enumerate(clusters)]

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> ManycoreFleetBoard:  # type: ignore[override]
        """A console a cluster; `kernel` is the firmwares'."""
        board = ManycoreFleetBoard(self, keep)
        self.name_places(board)
        return board


class ManycoreFleetBoard(NodesBoard):
    """Starts at `with`, is gone after it."""

    def __init__(self, fleet: ManycoreFleet, keep: Path | None = None):
        self.fleet = fleet
        super().__init__(fleet.names, range(len(fleet.images)), "cluster", keep, fleet.powerful)
        self._server: Server | None = None

    def prepare(self) -> None:
        self._server = Server(self.folder, len(self.nodes), self.fleet.shared)

    def command(self, node: Node, serial: list[str]) -> tuple[list[str], list[int]]:
        """With the board's file as of this life: NodesBoard has counted it."""
        number, fleet = node.number, self.fleet
        file = self.folder / f"cluster{number}.img"
        content = table.with_lives(fleet.images[number].read_bytes(), number, node.starts - 1)
        file.write_bytes(table.with_seeds(content, {number: seed(False)}))
        words = fleet.words(fleet.sizes[number], file)
        words += ["-chardev", f"socket,id=peers,path={self.folder / f'ivshmem{number}'}"]
        words += ["-device", f"{fleet.device},addr={model.DEVICE_SLOT}"]
        if fleet.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{fleet.gdb_port + number}", "-S"]
        return [*words, *serial, *fleet.extra], []

    def node_of(self, source: int) -> Node:
        return self.nodes[source]

    def release(self) -> None:
        if self._server:
            self._server.close()

    def restart(self, number: int) -> None:
        """Start a cluster that was killed again, alone."""
        node = self.nodes[number]
        self.clear(node)
        node.closed.clear()
        self.start(node)
