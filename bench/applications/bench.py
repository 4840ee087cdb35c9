# SPDX-License-Identifier: MIT
"""Figure 2 of the Mercury paper: what applications cost in a Linux that the kernel is beneath, and before and afterwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from amalgam import paths
from amalgam.artifacts import apt, programs
from amalgam.artifacts.error import ArtifactError
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine, quick
from amalgam.errors import UserError
from amalgam.measure import spans
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_to_end, shown_command
from amalgam.system.compile import compile_system
from amalgam.system.units import GIB

APPS = ("dbench", "build", "postgresql", "iperf3-tcp", "iperf3-udp")
ONE_CPU = ("never", "loaded", "attached", "detached")
TWO_CPUS = ("never", "guest")
REPEATS, REPEATS_2 = 5, 3  # on one CPU, on two
PAPER = {"dbench": "10 % lost", "build": "7 % lost (kernel)", "postgresql": "20 % lost (OSDB-IR)"}  # its virtual mode as Xen's domain 0
DBENCH_LINES = 3000  # of the load that the package brings
PG = "usr/lib/postgresql/15"
Counts = dict[tuple[str, str], list[int]]
PROGRAMS = {  # of Debian 12, wherever this runs, so that the same work is counted; of whom: {name in the archive: (package, path in it)}
    "dbench": {"usr/bin/dbench": ("dbench", "usr/bin/dbench")},
    "build": {"bin/tcc": ("tcc", "usr/bin/tcc")},
    "postgresql": {
        **{f"{PG}/bin/{name}": ("postgresql-15", f"{PG}/bin/{name}") for name in ("postgres", "initdb", "pgbench")},
        **{f"{PG}/lib/{name}.so": ("postgresql-15", f"{PG}/lib/{name}.so") for name in ("plpgsql", "dict_snowball")},
    },
    "iperf3": {"bin/iperf3": ("iperf3", "usr/bin/iperf3")},
}
TREES = {  # of whom: (package, what of it)
    "build": (
        ("tcc", "usr/lib/x86_64-linux-gnu/tcc/include"),
        ("tcc", "usr/lib/x86_64-linux-gnu/tcc/libtcc1.a"),
        ("libc6-dev", "usr/include"),
        ("linux-libc-dev", "usr/include"),
        *(("libc6-dev", f"usr/lib/x86_64-linux-gnu/{name}") for name in ("crt1.o", "crti.o", "crtn.o", "libc.so", "libc_nonshared.a")),
    ),
    "postgresql": (("postgresql-15", "usr/share/postgresql/15"),),
}
SOURCES = (  # what is built: the command, but for files whose atomics tcc does not know, and lmrows
    *(path for path in sorted((paths.ROOT / "linux/command").glob("*.[ch]")) if not path.name.startswith("backend")),
    *sorted((paths.ROOT / "kernel/api").glob("*.h")),
    *(paths.ROOT / name for name in ("linux/amalgam/uapi.h", "kernel/include/core/system_table.h")),
    *(paths.ROOT / "guests/linux" / name for name in ("lmrows.c", "bench.h")),
)


def unpacked(ctx: Context, apps: Sequence[str]) -> dict[str, Path]:
    """What the packages of these applications bring."""
    kinds = dict.fromkeys(app.removesuffix("-tcp").removesuffix("-udp") for app in apps)
    wanted = {inside: of for kind in kinds for inside, of in PROGRAMS[kind].items()}
    found = dict(programs.with_libraries(paths.CACHE, wanted, ctx.progress, apt.debian12(paths.CACHE)))
    found["lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"] = found["lib64/ld-linux-x86-64.so.2"]  # where tcc looks for what libc needs
    for package, inside in (pair for kind in kinds for pair in TREES.get(kind, ())):
        tree = apt.debian12(paths.CACHE).unpacked(paths.CACHE, package, ctx.progress)
        top = tree / inside
        found |= {str(path.relative_to(tree)): path for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file()}
    return found


def dbench_load(ctx: Context) -> Path:
    """The beginning of the load that dbench brings, and an end: a handle that nobody opened."""
    lines = (
        (apt.debian12(paths.CACHE).unpacked(paths.CACHE, "dbench", ctx.progress) / "usr/share/dbench/client.txt").read_text().splitlines()
    )
    load = ctx.file("load.txt")
    load.write_text("\n".join([*lines[:DBENCH_LINES], "Close 65000 NT_STATUS_OK", ""]))
    return load


def prepared(ctx: Context, apps: Sequence[str], name: str) -> LinuxMachine:
    """One initrd for all states: the stock one, and these."""
    _system, image = compile_system(ctx.folder / "guest.yaml", ctx.progress)
    try:
        files = unpacked(ctx, apps) | {"usr/share/dbench/load.txt": dbench_load(ctx)}
        files["bin/counted"] = programs.compile_static(paths.CACHE, paths.ROOT / "guests/linux/counted.c", ctx.progress)
    except ArtifactError as error:
        raise UserError(f"the applications: {error}", "./amalgam doctor says what this machine lacks") from error
    files |= {f"usr/src/{path.relative_to(paths.ROOT)}": path for path in SOURCES}
    files |= {"bin/app": ctx.folder / "app", "bin/states": ctx.folder / "states", "lib/amalgam/system.img": Path(image)}
    return linux_machine(build_initrd(ctx.progress, files, name), ctx.progress)


def boot(
    ctx: Context, machine: LinuxMachine, name: str, run: str, apps: Sequence[str], states: Sequence[str], repeats: int
) -> tuple[Counts, str]:
    """One boot: {(application, state): instructions of the application's CPU each time}. By the host's clock without timer interrupts."""
    machine.append = f"nokaslr norandmaps amalgam.mode=bench amalgam.run={run}"
    out, log = ctx.file(f"{name}.spans"), ctx.file(f"{name}.log")
    words = [
        *machine.command(),
        *spans.options(out, **({} if machine.icount else {"tick": hex(spans.tick_address(ctx, machine))})),
    ]
    words[words.index("tcg")] = spans.TURNS
    ctx.progress(f"applications, {name}")
    run_to_end([*words, "-serial", f"file:{log}"], 5400)
    text, how = log.read_text(errors="replace").replace("\r", ""), shown_command(words)
    if re.findall(r"amalgam-init: bench ended with status (\d+)", text)[-1:] != ["0"]:  # a guest's own may come before
        raise UserError("the run did not end well. It said last:\n" + "\n".join(text.splitlines()[-12:]), f"run it by hand: {how}")
    names = re.findall(r"^counted (.+)-(\w+)$", text, re.M)
    counted = spans.read(out).spans
    if len(names) != len(counted):
        raise UserError(f"{len(counted)} programs were counted, {len(names)} ended well", f"run it by hand: {how}")
    found: Counts = {}
    for (app, state), span in zip(names, counted, strict=True):
        found.setdefault((app, state), []).append(span.counts[span.cpu] - span.ticked)
    missing = [(app, state) for app in apps for state in states if len(found.get((app, state), ())) != repeats]
    if missing:
        raise UserError(f"not {repeats} times: {missing}", f"run it by hand: {how}")
    return found, how


def measure(
    ctx: Context, machine: LinuxMachine, states: Sequence[str], apps: Sequence[str], repeats: int, name: str = "1-cpu"
) -> tuple[Counts, str]:
    """One boot through these states: on one CPU whose clock is instructions, on 2-cpus, or on one by the host-clock."""
    machine.cores, machine.memory = (2, 2 * GIB) if name == "2-cpus" else (1, GIB)
    machine.icount = name == "1-cpu"
    run = f"states,{repeats},{'/'.join(states)},{'/'.join(apps)}"
    return boot(ctx, machine, name, run, apps, states, repeats)


def inside(ctx: Context) -> tuple[Counts, str]:
    """In a stock Linux as a guest, whose initrd is the one of the other states (and must have been made)."""
    image = Path(compile_system(ctx.folder / "inside.yaml", ctx.progress)[1])
    files = {"bin/outside": ctx.folder / "outside", "lib/amalgam/inside.img": image}
    machine = linux_machine(build_initrd(ctx.progress, files, "bench-outside"), ctx.progress)
    machine.cores, machine.memory, machine.icount = 2, 3 * GIB, False
    found, how = boot(ctx, machine, "inside", "outside", APPS, ("never",), REPEATS_2)
    return {(app, "inside"): counts for (app, state), counts in found.items() if state == "never"}, how


def compared(found: Counts, how: str, states: Sequence[str], apps: Sequence[str], suffix: str = "") -> list[Row]:
    """Medians, each state's ratio to never, how far apart the runs of never are, and in that measure how far the other states are from it."""
    rows = []
    for app in apps:
        never = found[app, "never"]
        base, spread = median(never), max(never) - min(never)
        rows.append(Row(f"{app}-never{suffix}", base, "instructions", None, None, how))
        rows.append(Row(f"{app}-never{suffix}-spread", round(spread / base, 5), "ratio", None, None, f"{how}: (most - least) / median"))
        for state in states[1:]:
            value = median(found[app, state])
            rows.append(Row(f"{app}-{state}", value, "instructions", None, None, how))
            paper = PAPER.get(app) if state == "attached" else None
            rows.append(
                Row(f"{app}-{state}-of-never", round(value / base, 5), "ratio", paper, None, f"{app}-{state} / {app}-never{suffix}")
            )
            if state in ("loaded", "detached", "guest") and spread:
                off = round(abs(value - base) / spread, 2)
                rows.append(
                    Row(f"{app}-{state}-off", off, "spreads", None, None, f"|{app}-{state} - {app}-never| / (most - least of never)")
                )
    return rows


def run_short(ctx: Context) -> list[Row]:
    """What the budgets hold: files, attached and detached."""
    states, apps = ("never", "attached", "detached"), ("dbench",)
    machine = quick(prepared(ctx, apps, "bench-applications-short"), ctx.progress)
    found, how = measure(ctx, machine, states, apps, 1)
    return compared(found, how, states, apps)


def inside_rows(ctx: Context, machine: LinuxMachine) -> list[Row]:
    """A Linux with one CPU as a guest beside one that has the board with one CPU; both by the host's clock."""
    found, how = measure(ctx, machine, ("never",), APPS, REPEATS_2, "host-clock")
    more, how_inside = inside(ctx)
    return compared(found | more, f"{how}; inside: {how_inside}", ("never", "inside"), APPS, "-host")


def run(ctx: Context) -> list[Row]:
    machine = prepared(ctx, APPS, "bench-applications")
    found, how = measure(ctx, machine, ONE_CPU, APPS, REPEATS)
    rows = compared(found, how, ONE_CPU, APPS)
    found, how = measure(ctx, machine, TWO_CPUS, APPS, REPEATS_2, "2-cpus")
    rows += compared(found, how, TWO_CPUS, APPS, "-2")
    return rows + inside_rows(ctx, machine)
