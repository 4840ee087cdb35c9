# SPDX-License-Identifier: MIT
"""Counted runs for benches: one core, one instruction = one tick, every run the same.

A *place* is where Linux runs: on the bare board, in a guest on Amalgam, or in a guest under KVM on the same board. All
take the same kernel and the same bench initrd, whose programs print `bench NAME MIN MEDIAN N` lines.

What costs minutes and changes only with Debian (the peers) is stored in bench/peers/NAME.json with its command, and
measured again by `./amalgam bench NAME --peers`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from amalgam import artifacts, paths
from amalgam.board.board import Board
from amalgam.board.console import SCALE
from amalgam.board.lifetime import end, spawn, worth_showing
from amalgam.board.machine import Machine
from amalgam.errors import UserError
from amalgam.measure.benches import Context
from amalgam.system.units import MIB

LINE = re.compile(
    r"^bench (?:(?P<group>[a-z][\w-]*) )?(?P<name>[a-z][\w-]*) (?P<low>\d+)(?: (?P<mid>\d+))?(?: (?P<n>\d+))?\s*$", re.MULTILINE
)
MEMORY = 512 * MIB
CMDLINE = "console=ttyS0 quiet nokaslr norandmaps panic=-1"  # user addresses move page-table pages, and with them the costs
COUNTED = "-icount shift=0,sleep=off -seed 1 -rtc base=2026-01-01,clock=vm"


@dataclass
class Figure:
    """Of `n` samples; n is 0 where the program does not say."""

    low: int
    mid: int
    n: int


@dataclass
class Run:
    """What a run gave, and how it was started."""

    how: str
    figures: dict[str, Figure] = field(default_factory=dict)
    text: str = ""

    def need(self, name: str, samples: int = 1) -> Figure:
        """A figure that must be there, of at least so many samples: a bench that measured less has failed."""
        figure = self.figures.get(name)
        if figure is None or figure.n < samples:
            raise UserError(
                f"the run gave {figure.n if figure else 'no'} samples of '{name}', {samples} were asked for. It said last:\n"
                + "\n".join(self.text.splitlines()[-12:]),
                "run it by hand: " + self.how,
            )
        return figure


def figures(text: str) -> dict[str, Figure]:
    """All `bench` lines of a console."""
    found = {}
    for match in LINE.finditer(text.replace("\r", "")):
        low = int(match["low"])
        found[match["name"]] = Figure(low, int(match["mid"] or low), int(match["n"] or 0))
    return found


def shown_command(words: list[str]) -> str:
    """A command as one would type it: programs and files by their names."""
    return " ".join(shlex.quote(re.sub(r"(^|[,=])/[^,=]*/", r"\1", word)) for word in words)


def run_bare(
    ctx: Context,
    program: str,
    initrd: Path | None = None,
    timeout: float = 900,
    name: str = "bare",
    memory: int = MEMORY,
    done: str = "amalgam-init: bench ended with status 0",
    cards: int = 0,
    network: str = "",
) -> Run:
    """Stock Linux on the bare board: `program` (its words) as mode bench, to power-off. `network`: of its cards."""
    kernel = artifacts.debian("vmlinuz", ctx.progress)
    image = initrd or artifacts.debian("initrd-bench", ctx.progress)
    append = f"{CMDLINE} amalgam.mode=bench amalgam.run={','.join(program.split())}"
    log = ctx.file(f"{name}.log")
    machine = Machine(
        cores=1, memory=memory, kernel=kernel, image=image, icount=True, extra=["-append", append], cards=cards, network=network
    )
    words = machine.command()
    ctx.progress(f"bare Linux: {program}")
    run_to_end([*words, "-serial", f"file:{log}", "-monitor", "none"], timeout)
    return finished(Run(shown_command(words), text=log.read_text(errors="replace")), done)


def run_to_end(words: list[str], timeout: float) -> None:
    """Until the board powers itself off. UserError: it does not in `timeout` seconds, or the emulator gives up, with what it said."""
    with tempfile.TemporaryFile() as said:
        process = spawn(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        try:
            status = process.wait(timeout * SCALE)
        except subprocess.TimeoutExpired as error:
            raise UserError(f"the board still runs after {timeout * SCALE:.0f} s", "run it by hand: " + shown_command(words)) from error
        finally:
            end(process)
        if status:
            said.seek(0)
            lines = filter(worth_showing, said.read().decode(errors="replace").splitlines())
            raise UserError(f"the emulator ended with status {status}:\n" + "\n".join(lines), "run it by hand: " + shown_command(words))


def finished(run: Run, done: str) -> Run:
    """The run's figures; an error when it did not come to its end."""
    if done not in run.text:
        raise UserError(
            f"the run did not say '{done}'. It said last:\n" + "\n".join(run.text.splitlines()[-12:]), "run it by hand: " + run.how
        )
    run.figures = figures(run.text)
    return run


def run_guest(
    ctx: Context,
    system: str,
    done: str,
    domain: str = "linux",
    timeout: float = 900,
    icount: bool = True,
    ask: Callable[[Board], None] | None = None,
    extra: Sequence[str] = (),
    network: str = "",
    chosen: tuple[int, ...] = (),
) -> Run:
    """A system on Amalgam until `domain` has said a line with `done`; `ask` may then talk to the board. `network`: of its cards; `chosen`: the
    cores of an SCC that boot, if not all."""
    fields = {name: value for name, value in (("network", network), ("chosen", chosen)) if value}
    with ctx.board(system, icount=icount, extra=extra, **fields) as board:
        ctx.progress(f"{Path(system).stem}: {domain}")
        console = board[domain]
        console.expect(re.escape(done) + r".*\n", timeout)
        if ask:
            ask(board)
        text = console.text.replace("\r", "")
    own = ctx.folder / system
    name = own.relative_to(paths.ROOT) if own.is_relative_to(paths.ROOT) and own.is_file() else system
    options = (" --icount" if icount else "") + (f" --network {network}" if network else "")
    return finished(Run(f"./amalgam run {name}{options}", text=text), done)


def stored(ctx: Context, name: str, measure: Callable[[], Run]) -> Run:
    """The peer `name`, which benches may share: measured now with --peers (and kept), else as kept."""
    path = paths.BENCH / "peers" / f"{name}.json"
    if ctx.peers:
        run = measure()
        path.parent.mkdir(exist_ok=True)
        record = {"how": run.how, "figures": {key: asdict(value) for key, value in run.figures.items()}}
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if not path.is_file():
        raise UserError(f"the peer '{name}' was never measured", f"./amalgam bench {ctx.name} --peers")
    record = json.loads(path.read_text(encoding="utf-8"))
    return Run(record["how"], {key: Figure(**value) for key, value in record["figures"].items()})


def run_kvm(ctx: Context, program: str, timeout: float = 1800, name: str = "kvm", memory: int = MEMORY) -> Run:
    """The same in a guest under KVM (kvmguest) under stock Linux on the same board: same kernel, initrd, memory."""
    from amalgam.artifacts import initrd

    kernel, inner = artifacts.debian("vmlinuz", ctx.progress), artifacts.debian("initrd-bench", ctx.progress)
    line = ctx.file("nested-cmdline")
    line.write_text(f"{CMDLINE} amalgam.mode=bench amalgam.run={','.join(program.split())}", encoding="utf-8")
    files = {"nested/vmlinuz": kernel, "nested/initrd": inner, "nested/cmdline": line}
    outer = initrd.build(paths.CACHE, ctx.progress, "bench", files)
    words = f"kvmguest /nested/vmlinuz /nested/initrd {memory // MIB} /nested/cmdline"
    return run_bare(ctx, words, outer, timeout, name, memory * 2 + 256 * MIB)
