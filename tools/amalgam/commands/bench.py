# SPDX-License-Identifier: MIT
"""`bench`: measure, beside the paper's figure and the peer's."""

from __future__ import annotations

import argparse
import json

from amalgam import paths
from amalgam.cli import describe
from amalgam.ui import say, table, working


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "bench",
        "measure, beside the paper and the peers",
        "Run one benchmark, or all, and print each figure beside the paper's and the peer's. Figures are instruction counts "
        "on one core (icount) with exit counts beside them; nothing depends on the speed of this machine. Raw samples and plots lie in build/bench/.",
        ["bench", "bench exits", "bench context-switch --json", "bench --list"],
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="one of bench/; without it all are run")
    parser.add_argument(
        "--json",
        action="store_true",
        help='{"bench": ..., "rows": [{"metric", "value", "unit", "paper", "peer", "how"}]}, one line a bench',
    )
    parser.add_argument("--list", action="store_true", help="only list the names")
    parser.add_argument("--full", action="store_true", help="more samples")
    parser.add_argument("--peers", action="store_true", help="measure the peers again that are stored in bench/peers/ (minutes each)")
    parser.add_argument(
        "--document",
        action="store_true",
        help="run nothing: write bench/*/results.md, docs/benchmarks.md and marked figures in prose from the last runs (build/bench/)",
    )
    parser.add_argument("--check", action="store_true", help="end with status 1 when a row is outside its budget (bench/budgets/)")


def run(args: argparse.Namespace) -> int:
    from amalgam.measure.benchdoc import write_documents
    from amalgam.measure.benches import names
    from amalgam.measure.figures import write as write_figures

    if args.document:
        for name in write_documents():
            say(f"bench '{name}' has not run here: its results stay as they are")
        for page in write_figures():
            say(f"{page}: figures written anew")
        return 0
    if args.list:
        print(json.dumps(names()) if args.json else "\n".join(names()))
        return 0
    results = [one(name, args) for name in ([args.name] if args.name else names())]
    return int(any(results))


def one(name: str, args: argparse.Namespace) -> bool:
    """Run one bench and print it; whether a budget is exceeded and counts."""
    from amalgam.measure.benches import Context, load
    from amalgam.measure.budgets import exceeded, held

    measure = load(name)
    with working(f"bench {name}") as progress:
        rows = measure(Context(name, progress, args.full, args.peers))
    record = {"bench": name, "rows": [row.record() for row in rows]}
    saved = paths.BUILD / "bench" / f"{name}.json"
    saved.parent.mkdir(parents=True, exist_ok=True)
    saved.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if args.json:
        print(json.dumps(record), flush=True)
    else:
        table(name, ["metric", "paper", "peer", "ours", "unit", "how"], [[r.metric, r.paper, r.peer, r.value, r.unit, r.how] for r in rows])
    over = exceeded(name, {row.metric: row.value for row in rows})
    for sentence in over:
        say(f"over budget: {sentence}")
    return held(name, over) and args.check
