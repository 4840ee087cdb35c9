# SPDX-License-Identifier: MIT
"""What the kernels of an SCC cost: a switch of threads in software and by the processor's tasks, a message there and back, a page fault
of shared virtual memory; and RCCE."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from amalgam import coherence
from amalgam.benches import Context, Row, module
from amalgam.board.board import Board
from amalgam.board.scc import CHECKED, CORES
from amalgam.errors import UserError
from amalgam.sizes import totals

GAPS = 2000
FAULTS = 32
BEGIN, END = 1, 2  # marks: svm_mark_begin(), svm_mark_end()
ORDERS = [  # kernel/task/svm_pauses.c: a pause after a row of so many, by chance; whether what is read is declared read-only
    *((5, True), (1, False), (0, True), (1, True), (2, True), (3, True)),
    *((4, True), (0, False), (2, False), (3, False), (4, False), (5, False)),
]
COUNTS = (1, 2, 4, 8, 16, 32, CORES)
MODELLED = (CORES, 256, 1024)
UNIT = "instructions"
PAPER = "2,100 cycles; sccLinux 6,400"
FILLS = {"barrier-48": 0, "barrier-48-fill-100": 100}  # instructions for a line that another core wrote
CLOCKED = "./amalgam run bench/scc/{}.yaml --icount with the coherence checker's clock: critical path, a fill costs {}; the mean"
MESSAGES = {"rcce-32": 200, "rcce-8k": 40, "rcce-1m": 2, "lock": 100, "copy": 1, "ircce-32": 200}
BARRIERS = {"barrier": 50, "linear": 20, "central": 20, "tree": 20, "tournament": 20, "lock-48": 480}
KINDS = ("linear", "central", "tree", "tournament")
"""The parts of user/rcce/programs/cost.c, in order, and how often each does what is counted."""
BARRELFISH = "Barrelfish on the SCC: 4,860 cycles"
SWITCHES = {
    "software": "; the kernel of an SCC's core",
    "locks": "; the i586 shape, a kernel for several cores",
    "hardware": "; the i586-hardware shape, the same with tasks of the processor: the jump to one counts as one, 85 clocks and more on a Pentium",
}

part = partial(module, "scc")


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    if not match:
        raise UserError(f"the board did not say {pattern!r}", "see the logs in build/bench/scc/logs/")
    return int(match[1])


def least_gap(board: Board, phase: str) -> int:
    """The shortest of all gaps, which must have been seen."""
    text = board["bench"].text
    gaps = re.findall(rf"^gaps context-switch {phase} \d+((?: \d+)+)\s*$", text.replace("\r", ""), re.MULTILINE)
    values = [int(word) for words in gaps for word in words.split()]
    if len(values) != GAPS:
        raise UserError(f"{phase}: {len(values)} gaps were seen, {GAPS} are a measurement", "see the logs in build/bench/scc/logs/")
    return min(values)


def switches(ctx: Context) -> list[Row]:
    """A switch by the end of a slice (the paper's hourglass), and by yielding."""
    rows = []
    for way, note in SWITCHES.items():
        alone = {"chosen": (0,)} if way == "software" else {}
        with ctx.board(f"{way}.yaml", icount=True, **alone) as board:
            board["bench"].expect(r"bench context-switch yield-max \d+", 120)
            how = f"./amalgam run bench/scc/{way}.yaml --icount: least of {GAPS} gaps{note}"
            rows.append(Row(f"switch-{way}", least_gap(board, "hourglass"), UNIT, PAPER, None, how))
            name = "yield" if way == "software" else f"yield-{way}"
            rows.append(Row(name, least_gap(board, "yield"), UNIT, None, None, how))
    return rows


def accesses(text: str, line: str, system: str, metric: str) -> list[Row]:
    """What kinds of accesses take, of `text`: what both cores said, in lines that begin with `line` and the kind."""
    how = f"./amalgam run bench/scc/{system} --icount: the most of {{}} accesses; both cores one after the other, all others asleep"
    rows = []
    for kind, samples in (("strong", FAULTS), ("lazy", FAULTS), ("written", FAULTS - 1)):
        found = [int(word) for word in re.findall(rf"{line}{kind}: {samples} times, least \d+, median \d+, most (\d+)", text)]
        if len(found) != 1 + (kind == "written"):
            raise UserError(f"the board did not say what {metric.format(kind)} takes", "see the logs in build/bench/scc/logs/")
        rows.append(Row(metric.format(kind), max(found), UNIT, None, None, how.format(samples)))
    return rows


def faults(ctx: Context) -> list[Row]:
    """Of one access: the first one to a lazy page, to a strong page that another core owns, and to one that the other core has written."""
    with ctx.board("svm.yaml", icount=True) as board:
        board.kernel.expect(r"^core 1: .*domain bench: done", 120)
        text = board["bench"].text + board.kernel.text
    rows = accesses(text, "bench svm fault-", "svm.yaml", "svm-fault-{}")
    how = "./amalgam run bench/scc/svm.yaml --icount: 32 pages, {}, and a release; all other cores asleep"
    for pattern, what in (("sparse", "a word of each stored to once"), ("dense", "every word stored to 8 times")):
        rows += [
            Row(f"svm-{model}-{pattern}", number(rf"bench svm {model}-{pattern}: (\d+) ticks", text), UNIT, None, None, how.format(what))
            for model in ("lazy", "twins")
        ]
    return rows


def faults_of_processes(ctx: Context) -> list[Row]:
    """The same accesses, of two runs of a process (user/programs/faults.c)."""
    with ctx.board("svm-process.yaml", icount=True) as board:
        board.kernel.expect(r"^core 1: .*domain faults: done: exit status 0", 120)
        text = board["faults"].text + board.kernel.text
    return accesses(text, "faults: ", "svm-process.yaml", "svm-fault-{}-process")


def migration(ctx: Context) -> list[Row]:
    """Of marked pages whose frames are at the other corner of the chip: an access that takes the page and has its frame copied near."""
    with ctx.board("touch.yaml", icount=True) as board:
        board.kernel.expect(r"^domain bench: done", 120)
        text = board["bench"].text
    most = number(rf"bench touch: {FAULTS} times, least \d+, median \d+, most (\d+)", text)
    copy = number(r"bench touch: a copy alone (\d+)", text)
    how = f"./amalgam run bench/scc/touch.yaml --icount: the most of {FAULTS} accesses; both cores one after the other, all others asleep"
    use = f"./amalgam run bench/scc/touch.yaml --icount: {FAULTS} of 48 marked pages of a core are touched, and half of each is used"
    return [
        Row("svm-migrate", most - copy, UNIT, None, None, f"{how}; less what copying a page alone takes, {copy}"),
        Row("svm-migrate-with-copy", most, UNIT, None, None, how),
        Row("svm-migrate-moved", number(r"bench touch: (\d+) bytes moved", text), "bytes", None, None, use),
        Row("svm-migrate-needed", number(r"bytes moved, (\d+) needed", text), "bytes", None, None, use),
    ]


def rcce(ctx: Context, system: str, parts: dict[str, int], fill: int) -> dict[str, float]:
    """Each part's critical path on UE 0, once."""
    out = ctx.file(f"{Path(system).stem}-{fill}.txt")
    with ctx.board(system, icount=True, extra=part("apps").checked(out, fill)) as board:
        board["cost"].expect("cost: done", 120)
    marks = [mark for mark in coherence.read(out).marks if mark.core == 0 and mark.number <= 2 * len(parts)]
    if [mark.number for mark in marks] != list(range(1, 2 * len(parts) + 1)):
        raise UserError(f"UE 0 passed the marks {[mark.number for mark in marks]}", "each part has one before and one behind it")
    pairs = zip(marks[::2], marks[1::2], parts.items(), strict=True)
    return {name: (after.path - before.path) / times for before, after, (name, times) in pairs}


def messages_of_rcce(ctx: Context) -> list[Row]:
    """Between cores 0 and 47 while the others are idle."""
    free = rcce(ctx, "messages.yaml", MESSAGES, 0)
    how = CLOCKED.format("messages", 0)
    sizes = {"rcce-32": BARRELFISH, "ircce-32": None, "rcce-8k": None, "rcce-1m": None}
    rows = [Row(name, round(free[name], 1), UNIT, None, peer, how) for name, peer in sizes.items()]
    rows.append(Row("rcce-1m-of-copy", round(free["rcce-1m"] / free["copy"], 3), "ratio", None, None, how + "; of REP MOVSL once"))
    rows.append(Row("lock", round(free["lock"], 1), UNIT, None, None, how + "; taken and given back, no other core wants it"))
    return rows


def messages_of_processes(ctx: Context) -> list[Row]:
    """The same program in user mode, with a smaller part of the buffers."""
    free = rcce(ctx, "messages-process.yaml", MESSAGES, 0)
    how = CLOCKED.format("messages-process", 0)
    rows = [Row(f"{name}-process", round(free[name], 1), UNIT, None, None, how) for name in ("rcce-32", "ircce-32", "rcce-8k", "rcce-1m")]
    rows.append(Row("rcce-1m-of-copy-process", round(free["rcce-1m"] / free["copy"], 3), "ratio", None, None, how + "; of REP MOVSL once"))
    rows.append(Row("lock-process", round(free["lock"], 1), UNIT, None, None, how + "; taken and given back, no other core wants it"))
    return rows


def barrier(ctx: Context) -> list[Row]:
    """RCCE's own, of 48 cores."""
    once = {"barrier": BARRIERS["barrier"]}
    return [
        Row(name, round(rcce(ctx, "barrier.yaml", once, fill)["barrier"], 1), UNIT, None, None, CLOCKED.format("barrier", fill))
        for name, fill in FILLS.items()
    ]


def barriers(ctx: Context) -> list[Row]:
    """The same, beside the other kinds and a lock that all want."""
    rows = []
    for name, fill in FILLS.items():
        note = CLOCKED.format("barriers", fill)
        found = rcce(ctx, "barriers.yaml", BARRIERS, fill)
        rows.append(Row(name, round(found["barrier"], 1), UNIT, None, None, note))
        end = name.removeprefix("barrier-48")
        rows += [Row(f"barrier-48-{kind}{end}", round(found[kind], 1), UNIT, None, None, note) for kind in KINDS]
        note += "; a lock with a row, handed from one core to another"
        rows.append(Row(f"lock-48{end}", round(found["lock-48"], 1), UNIT, None, None, note))
    return rows


def longest_path(ctx: Context, system: str, domain: str, line: str, cores: int) -> int:
    """Of Jacobi's iterations, whose end `line` tells: from the first core's begin to the last one's end, by the checker's clocks."""
    out = ctx.file(f"{domain}-{cores}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board(system, icount=True, extra=coherence.options(out, *CHECKED), chosen=tuple(range(cores))) as board:
        board[domain].expect(line.format(cores), 300)
        board.kernel.expect(f"^domain {domain}: done", 60)
    marks = coherence.read(out).marks
    begin, end = ([mark for mark in marks if mark.number == number][-cores:] for number in (BEGIN, END))
    if {mark.core for mark in begin} != set(range(cores)) or {mark.core for mark in end} != set(range(cores)):
        raise UserError(f"not every one of {cores} cores has passed both marks", "see the logs in build/bench/scc/logs/")
    return max(mark.path for mark in end) - min(mark.path for mark in begin)


def jacobi(ctx: Context) -> list[Row]:
    """The speed-up of 48 cores, on lazy pages by a task of the kernel and by OpenMP."""
    how = "./amalgam run {} --icount: one core's instructions by the longest path of 48 (the coherence checker's clocks, fill cost 0)"
    programs = {
        "lazy": ("svm", "jacobi", r"jacobi lazy: \d+ iterations on {} cores: 0 words differ"),
        "openmp": ("openmp", "heat", r"heat: \d+ iterations of \d+ rows on {} threads"),
    }
    rows = []
    for name, program in programs.items():
        speedup = longest_path(ctx, *program, 1) / longest_path(ctx, *program, CORES)
        rows.append(Row(f"jacobi-{name}-48", round(speedup, 1), "times", "linear", None, how.format(program[0])))
    return rows


def product(ctx: Context) -> list[Row]:
    """Of two matrices, by OpenMP."""
    how = "./amalgam run bench/scc/matmul.yaml --icount: one core's instructions by the longest path of 48 (the coherence checker's clocks, fill cost 0)"
    one, many = (longest_path(ctx, "matmul.yaml", "matmul", r"matmul: on {} threads", cores) for cores in (1, CORES))
    return [Row(f"matmul-openmp-{CORES}", round(one / many, 1), "times", "linear", None, how)]


def by_messages(ctx: Context, jacobi: Sequence[int], others: Sequence[int]) -> tuple[list[Row], dict[str, dict[int, int]]]:
    """The speed-ups of RCCE's programs on so many cores, and the paths, by program."""
    apps, rows, paths_of = part("apps"), [], {}
    how = "./amalgam run {} --icount, `ues` as said: one core's instructions by the longest path (the coherence checker's clocks, fill cost 0)"
    for app, counts in ((apps.JACOBI, jacobi), (apps.OTHERS, others)):
        found = {cores: apps.measured(ctx, app, cores) for cores in counts}
        system = f"bench/scc/{app.system.name}" if app is apps.OTHERS else app.system.stem
        for name in app.parts:
            paths_of[name] = {cores: found[cores][name] for cores in counts}
            rows += [
                Row(f"{name}-rcce-{cores}", round(paths_of[name][1] / path, 1), "times", "linear", None, how.format(system))
                for cores, path in paths_of[name].items()
                if cores > 1
            ]
    return rows, paths_of


def on_all(ctx: Context, one_way: float) -> list[Row]:
    """The same from one core to 48, and what a model that is calibrated by them says of 1,024; with plots. `one_way`: a message's."""
    rows, paths_of = by_messages(ctx, COUNTS, COUNTS)
    part("plots").speed_ups(paths_of, ctx.file("speed-ups.png"), "Programs of RCCE on an SCC")
    model, curves = part("model"), {}
    costs = {name: model.calibrate(name, paths[1], paths[2], one_way) for name, paths in paths_of.items()}
    how = "bench/scc/model.py, calibrated by one core, two, and rcce-32: {}"
    for end, size_of, what in (("", model.FULL, "as much work a core as on 48"), ("-thin", model.THIN, "a row or a block a core")):
        for name, size in size_of.items():
            curves[name + end] = {cores: model.path(name, costs[name], cores, size) for cores in (1, *MODELLED)}
            value = curves[name + end][1] / curves[name + end][model.MOST]
            rows.append(Row(f"{name}-model-{model.MOST}{end}", round(value), "times", "linear", None, how.format(f"{what}, size {size:,}")))
    part("plots").speed_ups(curves, ctx.file("model.png"), "The model on more cores")
    off = max(model.off(name, costs[name], paths) for name, paths in paths_of.items())
    what = f"how far it is from the paths measured on 2 to {CORES} cores, at most"
    return [*rows, Row("rcce-model-off", round(off, 3), "ratio", None, None, how.format(what))]


def strong(ctx: Context, tried: int = len(ORDERS)) -> list[Row]:
    """The speed-up of 48 cores on strong pages in the first orders of execution of those that the task knows: the worst of those that
    declare what is only read, and if it was all of them, those that do not."""
    one, many = (orders(ctx, cores, tried) for cores in (1, CORES))
    speedup = {order: min(one) / path for order, path in zip(ORDERS, many, strict=False)}
    declared = [value for order, value in speedup.items() if order[1]]
    how = f"./amalgam run bench/scc/pauses.yaml --icount: one core's instructions by the longest path of {CORES}, {{}}"
    found = {
        "": (min(declared), f"the worst of {len(declared)} orders of execution; what an iteration reads is declared read-only"),
        "-undeclared-rows": (speedup[1, False], "not declared: pages move; a pause at every row"),
    }
    if tried == len(ORDERS):
        chance = [value for order, value in speedup.items() if order[0] and not order[1]]
        found["-undeclared"] = min(chance), f"not declared: the worst of {len(chance)} orders with pauses"
        found["-undeclared-turns"] = speedup[0, False], "not declared, no pauses: whole bands one after the other"
    return [
        Row(f"jacobi-strong-48{end}", round(value, 1), "times", "linear", None, how.format(what)) for end, (value, what) in found.items()
    ]


def orders(ctx: Context, cores: int, tried: int) -> list[int]:
    """The longest path of each of the first orders."""
    out = ctx.file(f"pauses-{cores}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("pauses.yaml", icount=True, extra=coherence.options(out, *CHECKED), chosen=tuple(range(cores))) as board:
        board["jacobi"].expect(rf"^order {tried - 1} on {cores} cores: 0 words differ", 600)
        right = len(re.findall(rf"^order \d+ on {cores} cores: 0 words differ", board["jacobi"].text, re.MULTILINE))
    marks = coherence.read(out).marks
    per_core = [[[m.path for m in marks if m.core == core and m.number == n][:tried] for core in range(cores)] for n in (BEGIN, END)]
    if right < tried or any(len(of_core) != tried for side in per_core for of_core in side):
        raise UserError(f"{right} of {tried} orders came to the right result", "see the logs in build/bench/scc/logs/")
    begin, end = (list(zip(*side, strict=True)) for side in per_core)
    return [max(last) - min(first) for first, last in zip(begin, end, strict=True)]


def footprint(ctx: Context) -> list[Row]:
    """What stays in a core's memory from the image of a whole kernel and of a lean one."""
    whole = totals(ctx.kernel("scc"))
    how = "./amalgam size --shape {}: text, constants, symbols, data; {}"
    return [
        Row("footprint-svm", whole.resident, "bytes", None, None, how.format("scc", "with mailbox, native programs and tasks")),
        Row(
            "footprint-svm-migrate",
            totals(ctx.kernel("scc-migrate")).resident,
            "bytes",
            None,
            None,
            how.format("scc-migrate", "the same with frames that move, and three more tasks"),
        ),
        Row("footprint-svm-bss", whole.bss, "bytes", None, None, "./amalgam size --shape scc: .bss"),
        Row(
            "footprint-lean",
            totals(ctx.kernel("scc-lean")).resident,
            "bytes",
            None,
            None,
            how.format("scc-lean", "with native programs and nothing else"),
        ),
    ]


def common(ctx: Context) -> list[Row]:
    """What both runs measure."""
    return [
        *switches(ctx),
        *part("mail").rows(ctx, number),
        *faults(ctx),
        *faults_of_processes(ctx),
        *migration(ctx),
        *messages_of_rcce(ctx),
        *messages_of_processes(ctx),
        *jacobi(ctx),
        *footprint(ctx),
    ]


def run(ctx: Context) -> list[Row]:
    rows = common(ctx)
    one_way = next(row.value for row in rows if row.metric == "rcce-32")
    return [*rows, *product(ctx), *on_all(ctx, one_way), *barriers(ctx), *strong(ctx)]


def run_short(ctx: Context) -> list[Row]:
    """Without the other kinds of barriers, most numbers of cores and orders of execution, which take most of the time."""
    return [*common(ctx), *by_messages(ctx, (1, CORES), (1, 8))[0], *barrier(ctx), *strong(ctx, 2)]
