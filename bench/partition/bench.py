# SPDX-License-Identifier: MIT
"""How late the real-time guest is woken: alone and beside Linux, on a core of its own and in a window of a shared one."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_guest
from amalgam.measure.drawing import pyplot

PERIODS = 3000  # of one millisecond: the neighbour's boot is part of them
EDGES = 1000
FRAME_US, WINDOW_US = 1000, 200
LOADS = {
    "idle": ("debian:initrd", "amalgam.mode=idle"),
    "stress": ("debian:initrd-stress", "amalgam.mode=stress amalgam.run=--cpu,1,--fork,1,--timer,1,--pipe,1,--vm,1,--vm-bytes,16M"),
}
PEER = "Jailhouse 124-999 ns (i.MX8MM)"
TOTAL = re.compile(r"^rt: total n=(\d+) min=(\d+) max=(\d+) ns", re.MULTILINE)
LATE = re.compile(r"^rt: (?:window )?late n=(\d+) min=(\d+) median=(\d+) p999=(\d+) max=(\d+) ns", re.MULTILINE)
GAP = re.compile(r"^rt: gap n=(\d+) min=(\d+) median=(\d+) p999=\d+ max=(\d+) ns", re.MULTILINE)
BUCKET = re.compile(r"^rt: histogram (\d+) (\d+)", re.MULTILINE)


def system(ctx: Context, name: str, cores: int, load: str | None, window: bool, rt: str) -> Path:
    """The system file of one scene, in build/bench/partition/."""
    domains: dict[str, object] = {
        "rt": {
            "boot": "pvh",
            "kernel": "build:rt.elf",
            "memory": "16M",
            "cores": [0],
            "priority": 24,
            "cmdline": rt,
            "devices": [{"type": "uart"}],
        }
    }
    if load:
        initrd, words = LOADS[load]
        domains["linux"] = {
            "boot": "pvh",
            "kernel": "debian:vmlinux",
            "initrd": initrd,
            "cmdline": f"console=ttyS0 quiet nokaslr {words}",
            "memory": "512M",
            "cores": [cores - 1],
            "devices": [{"type": "uart"}],
        }
    whole: dict[str, object] = {"system": name, "board": "q35", "cores": cores, "memory": "1G", "domains": domains}
    if window:
        whole["frames"] = [{"core": 0, "length": f"{FRAME_US}us", "windows": [{"domain": "rt", "start": 0, "length": f"{WINDOW_US}us"}]}]
    path = ctx.file(f"{name}.yaml")
    path.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    return path


def lateness(ctx: Context, name: str, cores: int, load: str | None, window: bool, mode: str) -> tuple[list[Row], dict[int, int]]:
    """Rows of one scene and its histogram."""
    count = PERIODS * (2 if ctx.full else 1)
    file = system(ctx, name, cores, load, window, f"mode={mode} period_us=1000 count={count} report={count} histogram=1")
    edges: list[int] = []

    def ask(board: Board) -> None:
        board.kernel.expect(r"domain rt: power-off", 60)  # the histogram is complete
        if load and "amalgam-init: up" not in board["linux"].text:
            raise UserError(f"{name}: the neighbour was not up when the measurement ended:\n{board['linux'].tail()}")
        if window and (match := re.search(r"latest .*?(\d+) ticks late", command(board, "cpus"))):
            edges.append(int(match[1]))

    run = run_guest(ctx, str(file), "rt: total", "rt", 1500, ask=ask)
    late, total = LATE.search(run.text), TOTAL.search(run.text)
    if not late or not total or int(late[1]) != count:
        raise UserError(f"{name}: the real-time guest did not report {count} periods:\n{run.text[-600:]}")
    said = re.findall(r"missed=(\d+)", run.text)
    how = (
        f"./amalgam run {file.relative_to(ctx.output.parent.parent)} --icount: "
        f"{count} periods of 1 ms, the neighbour's boot included; missed: {sum(map(int, said))}"
    )
    unit = "ns = instructions"
    rows = [
        Row(f"{name}-{what}", int(late[index]), unit, None, PEER, how)
        for what, index in (("min", 2), ("median", 3), ("p999", 4), ("max", 5))
    ]
    rows += [Row(f"{name}-edge-max", edge, "instructions", None, None, f"{how}; `cpus`: latest window edge") for edge in edges]
    return rows, {int(low): int(n) for low, n in BUCKET.findall(run.text)}


def edge_cost(ctx: Context, name: str, load: str | None) -> Row:
    """A guest that only reads the clock sees how long it was away: the rest of the frame, and leaving and entering."""
    file = system(ctx, name, 1, load, True, f"mode=hourglass gap_us=50 count={EDGES} report={EDGES}")
    run = run_guest(ctx, str(file), "rt: total", "rt", 900)
    gap = GAP.search(run.text)
    if not gap or int(gap[1]) != EDGES:
        raise UserError(f"{name}: the real-time guest did not report {EDGES} gaps:\n{run.text[-600:]}")
    away = (FRAME_US - WINDOW_US) * 1000
    return Row(
        name,
        int(gap[3]) - away,
        "instructions",
        "Proteus: 2 x 1,056 cycles",
        None,
        f"./amalgam run {file.relative_to(ctx.output.parent.parent)} --icount: median of {EDGES} gaps less {away} ns; out of the window and into it again",
    )


def plot(histograms: dict[str, dict[int, int]], target: Path) -> None:
    plt = pyplot()
    figure, axes = plt.subplots(len(histograms), 1, figsize=(8, 2 * len(histograms)), sharex=True)
    for axis, (name, buckets) in zip(axes, histograms.items(), strict=True):
        axis.bar(list(buckets), list(buckets.values()), width=[low / 8 for low in buckets], align="edge")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_ylim(0.8, 10000)
        axis.set_ylabel("periods")
        axis.set_title(name, fontsize=9)
    axes[-1].set_xlabel("lateness [ns]")
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)


SCENES: tuple[tuple[str, int, str | None, bool, str], ...] = (  # name, cores, neighbour, window of a shared core, what rt does
    ("own-core-alone", 1, None, False, "timer"),
    ("own-core-idle", 2, "idle", False, "timer"),
    ("own-core-stress", 2, "stress", False, "timer"),
    ("window-alone", 1, None, True, "timer"),
    ("window-idle", 1, "idle", True, "timer"),
    ("window-stress", 1, "stress", True, "timer"),
    ("begin-alone", 1, None, True, "window"),
    ("begin-stress", 1, "stress", True, "window"),
)


def alone(ctx: Context) -> list[Row]:
    """What the budgets are about: needs no Linux."""
    rows: list[Row] = []
    for name, *scene in SCENES:
        if scene[1] is None:
            rows += lateness(ctx, name, *scene)[0]
    return [*rows, edge_cost(ctx, "window-switch", None)]


def run(ctx: Context) -> list[Row]:
    rows: list[Row] = []
    histograms = {}
    for name, *scene in SCENES:
        more, histograms[name] = lateness(ctx, name, *scene)
        rows += more
    plot(histograms, ctx.file("jitter.png"))
    return [*rows, edge_cost(ctx, "window-switch", None), edge_cost(ctx, "window-switch-stress", "stress")]
