# SPDX-License-Identifier: MIT
"""What a Linux in ring 1 of a Pentium pays beside the same Linux on the bare board (Tables I to III of the MetalSVM paper)."""

from __future__ import annotations

import re
from collections import Counter

from amalgam import artifacts, paths
from amalgam.board.board import Board
from amalgam.board.machine import Machine
from amalgam.build import layers
from amalgam.errors import UserError
from amalgam.measure import plugin
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.counted import Run, finished, run_guest, run_to_end, shown_command
from amalgam.measure.sizes import totals
from amalgam.measure.visits import symbols
from amalgam.system.units import MIB

SAMPLES = 1000
UNIT = "instructions"
SHAPE = "i586-linux"
DONE = "costs: done"
FRAMES = 100_000
PORTS = {
    "port-send": "a frame of 60 bytes to another port",
    "port-receive": "a frame of 60 bytes that has come",
    "port-answer": "a question by ARP until the guest has answered, with all that the guest does for it",
}
GAP = re.compile(r"^gap (\d+)\s*$", re.MULTILINE)
GAPS = 100
CODE = 0xFFC00000  # kernel/arch/x86/para/layout.h: PARA_CODE
# rows of guests/ring1/costs.c
WAYS = (
    *("hypercall", "cpuid", "trap", "port", "yield", "load-cr3", "shadow-miss", "shadow-miss-write", "guest-fault"),
    *("interrupt", "interrupt-to-handler"),
)
# rows of guests/linux586/costs.c, the least of how many samples, the paper's figures (ratio to a guest under Linux)
CALLS = (
    ("getpid", 64, "191 (100 %) ticks"),
    ("page-fault", 64, "867,676 (94 %) ticks"),
    ("page-fault-mean", 64, "867,676 (94 %) ticks"),
    ("fork", 64, "3,101,387 (96 %) ticks"),
    ("fork-exit-wait", 64, None),
    ("vfork-exit", 64, "236,207 (107 %) ticks"),
    ("pthread-create", 64, "10,883,839 (67 %) ticks"),
    ("pthread-create-join", 64, None),
    ("pipe", 64, None),
)
JACOBI = (
    ("jacobi-32-1", 3, "3.74e9 (98 %) ticks"),
    ("jacobi-32-2", 3, "7.48e9 (98 %) ticks"),
    ("jacobi-128-1", 3, None),
    ("jacobi-128-2", 3, None),
)
SWITCH = "2,113 (103 %) ticks"
WORDS = "quiet panic=-1 rdinit=/bin/costs -- calls jacobi hourglass"
MEMORY = 16 * MIB


def run_bare(ctx: Context) -> Run:
    """The same Linux and the same initrd on the bare board, to its reset."""
    kernel, initrd = (artifacts.piece("linux586", name, ctx.progress) for name in ("bzImage", "initrd"))
    log = ctx.file("bare.log")
    machine = Machine("q35", "pentium,mmx=off", 1, MEMORY, kernel, initrd, icount=True, program="qemu-system-i386")
    machine.extra += ["-append", f"console=ttyS0 {WORDS}"]
    words = machine.command()
    ctx.progress("bare Linux for the Pentium")
    run_to_end([*words, "-serial", f"file:{log}", "-monitor", "none"], 300)
    return finished(Run(shown_command(words), text=log.read_text(errors="replace").replace("\r", "")), DONE)


def ways(ctx: Context) -> list[Row]:
    """Rows of guests/ring1/costs.c."""
    found = run_guest(ctx, "costs.yaml", DONE, "costs", 300)
    how = f"{found.how}: median of {SAMPLES} seen by the guest"
    return [Row(name, found.need(name, SAMPLES).mid, UNIT, how=how) for name in WAYS]


def change(ctx: Context) -> Row:
    """What of a way out and back is the change itself: of page tables, descriptors, task state, and registers."""
    counter, found = plugin.built("visits", ctx.folder), ctx.file("visits")
    found.unlink(missing_ok=True)
    ctx.kernel(SHAPE)
    at = symbols(paths.kernel_elf(SHAPE))
    behind = min(address for address in at.values() if address > at["para_left"])
    place = {name: CODE + at[name] - at["para_code"] for name in ("leave", "para_int80", "para_vectors", "para_code_end")}
    vectors = (place["para_vectors"], place["para_code_end"])
    ranges = [vectors, (CODE, place["para_int80"]), (at["para_enter"], at["para_code"]), (at["para_left"], behind)]

    def quit_board(board: Board) -> None:
        board.kernel.send("quit\n")
        board.wait(60)

    words = f"{counter},out={found},from={vectors[0]}:{vectors[1]},into={place['leave'] - 1}"  # its IRET
    words += "".join(f",change={a}:{b}" for a, b in ranges)
    run_guest(ctx, "costs.yaml", DONE, "costs", 300, ask=quit_board, extra=["-plugin", words, "-d", "plugin", "-D", "/dev/null"])
    times: Counter[int] = Counter()
    for line in found.read_text(encoding="ascii").splitlines():
        _, _all, changing, n = line.split()
        times[int(changing)] += int(n)
    (count, n), *_ = times.most_common(1)
    if n < SAMPLES or not count:
        raise UserError(f"the plugin saw no {SAMPLES} ways out and back: {dict(times)}")
    how = "bench/i586-linux/visits.c on costs.yaml: of a way out and back, those in kernel/arch/x86/para/switch.S, and the guest's INT"
    return Row("host-guest-switch", count + 1, UNIT, SWITCH, None, how)


def size(ctx: Context) -> list[Row]:
    """The guest's part, in bytes and lines."""
    with_guest, without = (totals(ctx.kernel(shape)) for shape in (SHAPE, "i586-process"))
    how = "sections .text and .init.text of build/i586-linux/amalgam.elf less those of build/i586-process/amalgam.elf"
    folders = [paths.ROOT / "kernel" / folder for folder in ("arch/x86/para", "vm/para")]
    files = [file for file in layers.sources(SHAPE) if file.parent in folders]
    return [
        Row("text-guest", with_guest.code + with_guest.init - without.code - without.init, "bytes", how=how),
        Row(
            "lines-guest",
            sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files),
            "lines",
            "lguest: about 5,000",
            how="wc -l of what the shape is compiled from in kernel/arch/x86/para and kernel/vm/para",
        ),
    ]


def hourglass(ctx: Context, guest: Run, bare: Run) -> list[Row]:
    """The paper's Fig. 3: how long neither of two threads runs at a switch between them, in Linux and as tasks of our kernel."""
    figure = module("context-switch")
    tasks = run_guest(ctx, "tasks.yaml", "bench context-switch yield-max", "bench", 300)
    gaps = {"tasks": figure.native_gaps(tasks.text, "hourglass")}
    gaps |= {place: [int(word) for word in GAP.findall(run.text)] for place, run in (("bare", bare), ("guest", guest))}
    if min(map(len, gaps.values())) < GAPS:
        raise UserError(f"of {GAPS} gaps there are {', '.join(f'{len(found)} of {place}' for place, found in gaps.items())}")
    titles = {"bare": "Linux on the bare board", "guest": "Linux in ring 1", "tasks": "tasks of the kernel"}
    figure.plot([(title, gaps[place][:GAPS]) for place, title in titles.items()], ctx.file("fig3a.png"))
    how = f"{{}}: {GAPS} gaps"
    middle = {place: figure.middle(found[:GAPS]) for place, found in gaps.items()}
    beside = f"bare {middle['bare']:,}; tasks {middle['tasks']:,}"
    least = f"bare {min(gaps['bare']):,}; tasks {min(gaps['tasks']):,}"
    return [
        Row("hourglass-min", min(gaps["guest"]), UNIT, "6,400 cycles (sccLinux)", least, how.format(guest.how)),
        Row("hourglass-median", middle["guest"], UNIT, None, beside, how.format(guest.how)),
    ]


def linux(guest: Run, bare: Run) -> list[Row]:
    """Rows of guests/linux586/costs.c in the guest, beside the bare board."""
    how = f"{guest.how}: {{}} of {{}} samples; bare: {bare.how}"
    rows = []
    for name, samples, paper in (*CALLS, *JACOBI, ("boot", 1, None)):
        ours, native = guest.need(name, samples), bare.need(name, samples)
        least = name == "page-fault"
        value, peer = (ours.low, native.low) if least else (ours.mid, native.mid)
        what = "least" if least else "mean" if name.endswith("mean") else "median"
        rows.append(Row(name, value, UNIT, paper, f"bare {peer:,}", how.format(what, samples)))
        rows.append(Row(f"{name}-of-bare", round(value / peer, 4), "ratio", None, None, f"{name} / the bare board's"))
    return rows


def ports(ctx: Context) -> list[Row]:
    """A process at the guest's switch, and the windows of a core on which it floods the guest."""
    found = run_guest(ctx, "ports.yaml", "portcost: done", "sends", 600)
    answered = re.search(rf"portcost: done, (\d+) of {FRAMES} answered", found.text)
    if not answered or not int(answered[1]):
        raise UserError("the guest answered nothing: it was flooded with nothing")
    rows = [Row(name, found.need(name, SAMPLES).mid, UNIT, how=f"{found.how}: {what}; median of {SAMPLES}") for name, what in PORTS.items()]
    late = found.figures["window-late"]
    what = (
        f"the latest of {late.n:,} windows of the core, beside {FRAMES:,} questions to the guest, of which it answered {int(answered[1]):,}"
    )
    return [*rows, Row("window-late", late.mid, UNIT, how=f"{found.how}: {what}")]


def run_short(ctx: Context) -> list[Row]:
    """What the budgets hold: needs no Linux."""
    return [*ways(ctx), *size(ctx)]


def run(ctx: Context) -> list[Row]:
    bare, guest = run_bare(ctx), run_guest(ctx, "guest.yaml", DONE, "linux", 900)
    return [change(ctx), *ways(ctx), *linux(guest, bare), *hourglass(ctx, guest, bare), *ports(ctx), *size(ctx)]
