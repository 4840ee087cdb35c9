# SPDX-License-Identifier: MIT
"""What each of KVM's paravirtual features saves a stock Linux: every one off in turn, against all and none."""

from __future__ import annotations

import json
import re
from pathlib import Path

from amalgam import artifacts, paths
from amalgam.artifacts import initrd, programs
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.system.model import KVM_FEATURES

CPUS = 4
# the phases of pvbench.c, and whether they are jobs (counted whole) or times (counted per second)
JOBS = ("forks", "pingpong", "flush", "ipi")
TIMES = ("idle", "busy")
PHASES = ("nothing", "idle", "forks", "pingpong", "busy", "flush", "ipi")
SYSTEM = """system: pv
board: q35
cores: 1
memory: 1G
domains:
  linux:
    kernel: debian:vmlinuz
    initrd: {initrd}
    cmdline: console=ttyS0 quiet nokaslr norandmaps panic=-1 amalgam.mode=bench amalgam.run=pvbench,{cpus}
    memory: 512M
    vcpus: {cpus}
    cores: [{cores}]
    devices: [{{type: uart}}]
    kvm: {kvm}
"""


class Seen:
    """One run: instructions of the boot and of each phase, and its exits by kind."""

    def __init__(self) -> None:
        self.boot = 0
        self.ticks: dict[str, int] = {}
        self.exits: dict[str, dict[str, int]] = {}

    def total(self, phase: str) -> int:
        """All exits of a phase but those of its console; halts and kicks say why, they are no exits of their own."""
        own = {"halts", "kicks"}
        return sum(count - self.exits["nothing"].get(kind, 0) for kind, count in self.exits[phase].items() if kind not in own)

    def rate(self, phase: str) -> float:
        return self.total(phase) / (self.ticks[phase] / 1e9)

    def kinds(self, phase: str) -> str:
        less = {kind: count - self.exits["nothing"].get(kind, 0) for kind, count in self.exits[phase].items()}
        return ", ".join(f"{kind} {count}" for kind, count in sorted(less.items(), key=lambda item: -item[1]) if count > 0)


def counters(board: Board) -> dict[str, int]:
    """The exits of all vCPUs by kind."""
    found: dict[str, int] = {}
    for line in command(board, "stats linux").splitlines():
        if re.match(r"\s*vcpu \d+ on core", line):
            for name, count in re.findall(r"\b([a-z]+) (\d+)(?=,|$)", line.split(":", 1)[1].strip()):
                found[name] = found.get(name, 0) + int(count)
    if not found:
        raise UserError("`stats linux` shows no exits")
    return found


def measure(ctx: Context, name: str, kvm: str, archive: Path) -> Seen:
    """All phases of pvbench in a guest with `kvm: ...`; kept in NAME.json."""
    system = ctx.file(f"{name}.yaml")
    text = SYSTEM.format(initrd=archive, cpus=CPUS, cores=", ".join(["0"] * CPUS), kvm=kvm)
    system.write_text(text, encoding="utf-8")
    seen = Seen()
    with ctx.board(system, icount=True) as board:
        ctx.progress(f"{name}: boot")
        linux = board["linux"]
        seen.boot = int(linux.expect(r"^pv boot (\d+)\r*\n", 300)[1])
        for phase in PHASES:
            ctx.progress(f"{name}: {phase}")
            linux.expect(rf"^pv {phase} ready\r*\n", 120)
            before = counters(board)
            linux.send("\n")
            seen.ticks[phase] = int(linux.expect(rf"^pv {phase} (\d+)\r*\n", 300)[1])
            after = counters(board)
            seen.exits[phase] = {kind: after[kind] - before.get(kind, 0) for kind in after}
            linux.send("\n")
    ctx.file(f"{name}.json").write_text(json.dumps(vars(seen), indent=1) + "\n", encoding="utf-8")
    return seen


def configurations() -> dict[str, str]:
    """What stands behind `kvm:`, by the name of the run."""
    found = {"all": "true", "none": "false"}
    for feature in KVM_FEATURES:
        found[f"no-{feature}"] = f"[{', '.join(other for other in KVM_FEATURES if other != feature)}]"
    return found


def absolute(runs: dict[str, Seen]) -> list[Row]:
    """The two ends: with all features and with none."""
    rows = []
    for name in ("all", "none"):
        seen, how = runs[name], f"./amalgam run build/bench/pv/{name}.yaml --icount"
        rows.append(Row(f"{name}-boot", seen.boot, "instructions", how=f"{how}: TSC since reset in the first program"))
        for phase in TIMES:
            rows.append(Row(f"{name}-{phase}", round(seen.rate(phase), 1), "exits/s", how=f"{how}, {phase}: {seen.kinds(phase)}"))
        for phase in JOBS:
            rows.append(Row(f"{name}-{phase}-exits", seen.total(phase), "exits", how=f"{how}, {phase}: {seen.kinds(phase)}"))
            rows.append(Row(f"{name}-{phase}", seen.ticks[phase], "instructions", how=f"{how}, {phase}: {seen.kinds(phase)}"))
    return rows


def savings(name: str, without: Seen, whole: Seen, how: str) -> list[Row]:
    """What a run takes more than the one with all features; negative: the feature costs."""
    rows = [Row(f"{name}-saves-boot", without.boot - whole.boot, "instructions", how=how)]
    for phase in TIMES:
        rows.append(Row(f"{name}-saves-{phase}", round(without.rate(phase) - whole.rate(phase), 1), "exits/s", how=how))
    for phase in JOBS:
        rows.append(Row(f"{name}-saves-{phase}-exits", without.total(phase) - whole.total(phase), "exits", how=how))
        rows.append(Row(f"{name}-saves-{phase}", without.ticks[phase] - whole.ticks[phase], "instructions", how=how))
    return rows


def run(ctx: Context) -> list[Row]:
    ctx.kernel()
    artifacts.debian("vmlinuz", ctx.progress)
    program = programs.compile_static(paths.CACHE, ctx.folder / "pvbench.c", ctx.progress, paths.ROOT / "guests/linux")
    archive = initrd.build(paths.CACHE, ctx.progress, "shell", {"bin/pvbench": program})
    runs = {name: measure(ctx, name, kvm, archive) for name, kvm in configurations().items()}
    rows = absolute(runs)
    for feature in KVM_FEATURES:
        how = f"build/bench/pv/no-{feature}.yaml less build/bench/pv/all.yaml, each by ./amalgam run FILE --icount"
        rows += savings(feature, runs[f"no-{feature}"], runs["all"], how)
    rows += savings("kvm", runs["none"], runs["all"], "build/bench/pv/none.yaml (`kvm: false`) less build/bench/pv/all.yaml, the same way")
    return rows
