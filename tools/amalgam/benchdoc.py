# SPDX-License-Identifier: MIT
"""docs/benchmarks.md: the parts between `<!-- bench NAME -->` and `<!-- end -->` are written from the last runs
(build/bench/NAME.json), `<!-- goals -->` from bench/goals.yaml and the same runs. Nothing there is typed by hand. What has not
run here stays as the document has it."""

from __future__ import annotations

import json
import re
from typing import Any

from amalgam import paths
from amalgam.budgets import within
from amalgam.errors import UserError
from amalgam.ui import number

DOCUMENT = paths.ROOT / "docs" / "benchmarks.md"
PART = re.compile(r"(<!-- (?P<what>bench (?P<name>[\w-]+)|goals) -->\n).*?(<!-- end -->)", re.DOTALL)


def has_run(name: str) -> bool:
    return (paths.BUILD / "bench" / f"{name}.json").is_file()


def last_run(name: str) -> list[dict[str, Any]]:
    """The rows of the last run."""
    path = paths.BUILD / "bench" / f"{name}.json"
    if not path.is_file():
        raise UserError(f"bench '{name}' has not run here", f"./amalgam bench {name}")
    return json.loads(path.read_text(encoding="utf-8"))["rows"]


def table(columns: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def bench_part(name: str) -> str:
    """All rows beside paper and peer; how they were measured stands below, once each."""
    rows = last_run(name)
    ways = list(dict.fromkeys(row["how"] for row in rows))
    cells = [
        [
            row["metric"],
            number(row["paper"]),
            number(row["peer"]),
            f"**{number(row['value'])}**",
            row["unit"],
            str(ways.index(row["how"]) + 1),
        ]
        for row in rows
    ]
    notes = "".join(f"{index}. {how}\n" for index, how in enumerate(ways, 1))
    return f"\n`./amalgam bench {name}`\n\n" + table(["row", "paper", "peer", "ours", "unit", "how"], cells) + "\n" + notes + "\n"


def goals_part(old: str) -> str:
    """Goal by goal, with what was measured."""
    import yaml

    goals = yaml.safe_load((paths.BENCH / "goals.yaml").read_text(encoding="utf-8"))
    cells = []
    for bench, wanted in goals.items():
        if not has_run(bench):
            cells += [[cell.strip() for cell in line.split("|")[1:-1]] for line in old.splitlines() if line.startswith(f"| {bench} |")]
            continue
        values = {row["metric"]: row["value"] for row in last_run(bench)}
        for row, limit in wanted.items():
            if row not in values:
                raise UserError(f"bench/goals.yaml names a row '{row}' that bench '{bench}' has not")
            goal = ", ".join(f"{'at most' if side == 'max' else 'at least'} {number(bound)}" for side, bound in limit.items())
            met = "met" if within(values[row], limit) else "**missed**"
            cells.append([bench, row, goal, number(values[row]), met])
    return "\n" + table(["bench", "row", "goal", "measured", ""], cells) + "\n"


def write_document() -> list[str]:
    """Bring the generated parts of docs/benchmarks.md up to date; the benches whose parts stay."""
    kept = []

    def part(match: re.Match[str]) -> str:
        if not match["name"]:
            return match[1] + goals_part(match[0]) + match[4]
        if has_run(match["name"]):
            return match[1] + bench_part(match["name"]) + match[4]
        kept.append(match["name"])
        return match[0]

    DOCUMENT.write_text(PART.sub(part, DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    return kept
