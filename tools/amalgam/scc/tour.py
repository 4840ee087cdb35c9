# SPDX-License-Identifier: MIT
"""`run scc`: what the shape is for. Programs on 48 kernels, each on a board of its own beside the coherence checker, and who talked to whom:
how many lines each core loaded that another one had stored to last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.machine import machine_for
from amalgam.board.monitor import command
from amalgam.board.scc import CHECKED, CORES
from amalgam.build.kernel import build_kernel
from amalgam.measure import coherence
from amalgam.system.compile import compile_system, locate
from amalgam.system.model import System
from amalgam.ui import Progress, say, table, working

FOLDER = paths.BUILD / "scc-tour"
PATIENCE = 600  # s, for a busy machine


@dataclass(frozen=True)
class Stop:
    """A system whose domain says `shown` and, when all is over, `last`."""

    why: str
    system: str
    domain: str
    shown: str
    last: str
    ends: bool = False  # with the program the board ends


STOPS = (
    Stop("messages of RCCE between core 0 and each other one", "rcce", "pingpong", r"pingpong: UE (?:1|2|46|47), .*", r"UE 47, .* wrong"),
    Stop(
        "Jacobi's iteration on shared pages: strong ones, then lazy ones",
        "svm",
        "jacobi",
        r"jacobi \w+: \d+ iterations .*",
        r"lazy: \d+ iter.*",
    ),
    Stop("the same by messages of RCCE", "jacobi-rcce", "jacobi", r"jacobi: .*", r"jacobi: \d+ us"),
    Stop("the same by OpenMP", "openmp", "heat", r"heat: .*", r"heat: \d+ us", ends=True),
)
Took = dict[tuple[int, int], int]


@dataclass
class Seen:
    """What a program said, and the lines that (core, other core) moved."""

    stop: Stop
    lines: list[str]
    kernels: str
    took: Took


def visit(stop: Stop, progress: Progress, folder: Path = FOLDER) -> Seen:
    """Run it. ConsoleError: it did not come to its end."""
    build_kernel("scc", progress)
    system, image = compile_system(locate(stop.system), progress)
    assert isinstance(system, System)
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / f"{stop.system}.took"
    out.unlink(missing_ok=True)
    machine = machine_for(system, image)
    machine.icount = True
    machine.extra += coherence.options(out, *CHECKED)
    progress(f"48 kernels run {stop.system}")
    with Board(machine, system.speakers, keep=folder / "logs") as board:
        board[stop.domain].expect(stop.last, PATIENCE)
        if stop.ends:
            board.kernel.expect("power off", PATIENCE)
        else:
            board.kernel.expect(f"all {CORES} kernels are up", PATIENCE)
        kernels = "" if stop.ends else command(board, "kernels")
        lines = re.findall(rf"^{stop.shown}", board[stop.domain].text.replace("\r", ""), re.MULTILINE)
    return Seen(stop, lines, kernels, coherence.read(out).took)


def row(seen: Seen) -> list[object]:
    """Of the last table."""
    lines = sum(seen.took.values())
    (core, other), most = max(seen.took.items(), key=lambda item: item[1])
    partners = len({frozenset(pair) for pair in seen.took})
    return [seen.stop.system, lines, partners, f"{core} of {other}", most]


def draw(all_seen: list[Seen], target: Path) -> None:
    """A field for each program: bright where the row's core took many lines of the column's."""
    from amalgam.measure.drawing import pyplot

    plt = pyplot()
    figure, fields = plt.subplots(1, len(all_seen), figsize=(4.2 * len(all_seen), 4.6), squeeze=False)
    for axes, seen in zip(fields[0], all_seen, strict=True):
        matrix = [[seen.took.get((core, other), 0) + 1 for other in range(CORES)] for core in range(CORES)]
        axes.set(title=seen.stop.system, xlabel="who stored to the line", ylabel="who loaded it")
        figure.colorbar(axes.imshow(matrix, cmap="viridis", norm="log"), ax=axes, shrink=0.7, label="lines + 1")
    figure.tight_layout()
    figure.savefig(target, dpi=100, metadata={"Software": None})
    plt.close(figure)


def run() -> int:
    """The whole tour; some two minutes."""
    all_seen = []
    for stop in STOPS:
        with working(stop.why) as progress:
            seen = visit(stop, progress)
        if not all_seen:
            print("\n".join(line for line in seen.kernels.splitlines() if not line.startswith("core ")))
        print(f"{stop.why}:")
        print("".join(f"  {line}\n" for line in seen.lines))
        all_seen.append(seen)
    table("who talked to whom", ["program", "lines moved", "pairs of cores", "most", "its lines"], [row(seen) for seen in all_seen])
    picture = FOLDER / "traffic.png"
    draw(all_seen, picture)
    say(f"drawn: {paths.shown(picture)}; each of them alone: ./amalgam run rcce; core 0's console: ./amalgam run scc --shell")
    return 0
