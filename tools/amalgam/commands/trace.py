# SPDX-License-Identifier: MIT
"""`trace`: record what the kernel does for a while, as a timeline."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from pathlib import Path

from amalgam import paths
from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import table, working


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "trace",
        "record a timeline of switches, windows, exits",
        "Run a system, record its trace for a while and write it as a timeline that "
        "https://ui.perfetto.dev and chrome://tracing open. The kernel keeps the last 2,048 events of each core. "
        "A system of clusters runs to its end, by the instruction; beside the timeline of all its cores lies a picture of the messages "
        "between clusters and between their programs.",
        ["trace debian", "trace debian --after linux:'# ' --seconds 1 -o boot.json", "trace --convert kernel.log", "trace manycore-talk"],
    )
    parser.add_argument(
        "system", metavar="SYSTEM", nargs="?", default="debian", help="a name in systems/ or a path that ends in .yaml (default debian)"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default build/trace/SYSTEM.json; the picture beside it ends in .png"
    )
    parser.add_argument("--after", metavar="DOMAIN:PATTERN", help="begin when DOMAIN (or kernel) says PATTERN, a regular expression")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long (default 2)")
    parser.add_argument("--timeout", type=float, default=300, metavar="S", help="longest wait for the board (default 300)")
    parser.add_argument("--convert", type=Path, metavar="LOG", help="run nothing: convert the trace lines of a log")
    parser.add_argument(
        "--ticks-per-us", type=float, metavar="N", help="counter ticks in a microsecond (default: as the kernel said, else 1000)"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help='print {"file": ..., "events": {"switch": ..., ...}}; of clusters also "picture", "messages" and "signals" with a row for each '
        'sender, "portal bytes", "programs" and the messages "between programs", and "requests" to servers',
    )


def recorded(args: argparse.Namespace) -> tuple[str, list[str]]:
    """The kernel's output with the dump, and the domains' names."""
    from amalgam.board.board import Board
    from amalgam.board.machine import machine_for
    from amalgam.board.monitor import await_monitor, command
    from amalgam.system.compile import compile_system, kernel_of, locate_for

    path = locate_for(args.system, "trace")
    with working(f"tracing {args.system}") as progress:
        kernel_of(path, progress)
        system, image = compile_system(path, progress)
        names = system.speakers
        with Board(machine_for(system, image), names) as board:
            progress("booting")
            await_monitor(board, args.timeout)
            if args.after:
                domain, _, pattern = args.after.partition(":")
                if domain not in [*names, "kernel"]:
                    raise UserError(f"the system has no domain '{domain}'", f"its domains are {', '.join(names)}", 2)
                board[domain].expect(pattern, args.timeout)
            command(board, "trace on")
            seconds = 2 if args.seconds is None else args.seconds
            progress(f"recording {seconds:g} s")
            time.sleep(seconds)
            progress("reading the trace")
            command(board, "trace dump", args.timeout)
            return board.kernel.text, names


def of_clusters(args: argparse.Namespace, path: Path) -> int:
    """The same for all clusters of a system, which runs to its end."""
    from amalgam.board.machine import machine_for
    from amalgam.measure import clocks, parties, traffic, trafficpicture
    from amalgam.system.compile import compile_system

    if args.after or args.seconds is not None:
        raise UserError("a system of clusters is traced from its start to its end", "leave out --after and --seconds", 2)
    target = args.output or paths.BUILD / "trace" / f"{path.stem}.json"
    if target.suffix in (".png", ".clocks"):
        what = f"the picture is {target.stem}.png, and what the emulator counted {target.stem}.clocks: neither can be the timeline"
        raise UserError(what, f"-o {target.with_suffix('.json')}", 2)
    target.parent.mkdir(parents=True, exist_ok=True)
    with working(f"tracing {args.system}") as progress:
        system, image = compile_system(path, progress)
        if system.fleet:
            raise UserError(
                f"{args.system} has an emulator a cluster, so no common clock",
                "trace it on the board manycore, e.g. ./amalgam trace manycore-talk",
                2,
            )
        machine, counted = machine_for(system, image), target.with_suffix(".clocks")
        machine.icount, machine.extra = True, traffic.options(system, counted, machine.memory)
        progress("running")
        with machine.board() as board:
            if board.wait(args.timeout):
                raise UserError(f"{args.system} failed", board.kernel.tail())
        progress("reading the trace")
        found = clocks.read(counted)
        who, sent = parties.Parties(system), list(traffic.sent(system, found))
        said, made, picture = traffic.messages(who, sent), traffic.traffic(sent), target.with_suffix(".png")
        who.learn(said)
        requested = parties.requests(who, said)
        target.write_text(json.dumps(traffic.timeline(system, found, who, sent, requested)), encoding="utf-8")
        trafficpicture.draw(system, made, who, said, picture)
        asked = parties.pairs(requested)
    names = [c.name for c in system.clusters]
    messages, signals = (traffic.matrix(counts, len(names)) for counts in (made.messages, made.signals))
    if args.json:
        counts = Counter(event.what for event in found.events)
        data = [made.data[c.number] for c in system.clusters]
        files = {"file": paths.shown(target), "picture": paths.shown(picture)}
        between, counted_between = parties.matrix(who, said)
        programs = {"programs": [who.label(party) for party in between], "between programs": counted_between}
        requests = [
            {
                "server": who.label(server),
                "of": who.label(client),
                "messages": pair.messages,
                "answered": len(pair.took),
                "median": pair.median,
            }
            for (server, client), pair in asked.items()
        ]
        told = {"events": counts, "messages": messages, "signals": signals, "portal bytes": data}
        print(json.dumps(files | told | programs | {"requests": requests}))
        return 0
    own = [sum(found.harts[hart][0] for hart in c.own_harts if hart in found.harts) for c in system.clusters]
    rows = [
        [name, *(f"{m} + {s}" if s else m for m, s in zip(messages[i], signals[i], strict=True)), made.data[i], own[i]]
        for i, name in enumerate(names)
    ]
    title = f"{paths.shown(target)} (open it at https://ui.perfetto.dev), {paths.shown(picture)}"
    table(title, ["messages + signals from", *(f"to {name}" for name in names), "portal bytes", "instructions"], rows)
    if asked:
        table(
            "requests to servers; the median is of instructions, from the first message to the answer",
            ["server", "asked by", "messages", "answered", "median"],
            [[who.label(server), who.label(client), p.messages, len(p.took), p.median or "-"] for (server, client), p in asked.items()],
        )
    return 0


def run(args: argparse.Namespace) -> int:
    from amalgam.measure.trace import parse, timeline
    from amalgam.system.compile import family_of, locate

    if not args.convert and family_of(path := locate(args.system)).traced_whole:
        return of_clusters(args, path)
    if args.convert:
        if not args.convert.is_file():
            raise UserError(f"there is no file '{args.convert}'", "give a log that holds the lines of `trace dump`")
        text, names = args.convert.read_text(encoding="utf-8", errors="replace"), []
    else:
        text, names = recorded(args)
    events = parse(text)
    if not events:
        raise UserError("the trace holds no events", "record longer (--seconds), or later (--after)")
    told = re.search(r"(\d+) (?:kHz|ticks per ms)", text)
    ticks_per_us = args.ticks_per_us or (int(told[1]) / 1000 if told else 1000.0)
    target = args.output or paths.BUILD / "trace" / f"{(args.convert or Path(args.system)).stem}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(timeline(events, names, ticks_per_us)), encoding="utf-8")
    counts = Counter(event.name for event in events)
    if args.json:
        print(json.dumps({"file": paths.shown(target), "events": counts}))
    else:
        table(f"{paths.shown(target)} (open it at https://ui.perfetto.dev)", ["event", "count"], counts.most_common())
    return 0
