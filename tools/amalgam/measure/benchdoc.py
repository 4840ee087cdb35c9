# SPDX-License-Identifier: MIT
"""The figures as documents. `bench/NAME/results.md` has a bench's table, written from its last run (build/bench/NAME.json) between
`<!-- bench NAME -->` and `<!-- end -->`; the page of claims, docs/benchmarks.md, is written from bench/goals.yaml and those tables
between `<!-- claims -->` and `<!-- end -->`. Nothing there is typed by hand. What has not run here stays as its document has it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure.budgets import within
from amalgam.ui import number

DOCUMENT = paths.ROOT / "docs" / "benchmarks.md"
PART = re.compile(r"(<!-- (?:bench [\w-]+|claims) -->\n).*?(<!-- end -->)", re.DOTALL)
SIDES = {"max": "at most", "min": "at least"}
COLUMNS = ["row", "paper", "peer", "ours", "unit", "how"]


def results_of(name: str) -> Path:
    return paths.BENCH / name / "results.md"


def has_run(name: str) -> bool:
    return (paths.BUILD / "bench" / f"{name}.json").is_file()


def last_run(name: str) -> list[dict[str, Any]]:
    """The rows of the last run."""
    return json.loads((paths.BUILD / "bench" / f"{name}.json").read_text(encoding="utf-8"))["rows"]


def table(columns: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def results_part(name: str) -> str:
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
    return f"\n`./amalgam bench {name}`\n\n" + table(COLUMNS, cells) + "\n" + notes + "\n"


def recorded(name: str) -> dict[str, dict[str, str]]:
    """The rows of a bench's document by their names: {"row", "paper", "peer", "ours", "unit"}, as they are written there."""
    found = {}
    for line in results_of(name).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == len(COLUMNS) and cells[3].startswith("**"):
            cells[3] = cells[3].strip("*")
            found[cells[0]] = dict(zip(COLUMNS, cells, strict=True))
    return found


def claims(goals: dict[str, dict[str, dict[str, Any]]]) -> str:
    """Goal by goal what was measured beside paper and peer, and what a reader must know to compare (`note`); misses first."""
    missed, met = [], []
    for bench, wanted in goals.items():
        rows = recorded(bench)
        for name, limit in wanted.items():
            if name not in rows:
                raise UserError(f"bench/goals.yaml names a row '{name}' that bench/{bench}/results.md has not", f"./amalgam bench {bench}")
            row = rows[name]
            goal = ", ".join(f"{word} {number(limit[side])}" for side, word in SIDES.items() if side in limit)
            is_met = within(float(row["ours"].replace(",", "")), limit)
            note = f"; {limit['note']}" if "note" in limit else ""
            cells = [
                f"{bench}: {name}",
                row["paper"],
                row["peer"],
                goal,
                f"**{row['ours']}** {row['unit']}".rstrip(),
                ("met" if is_met else "**missed**") + note,
            ]
            (met if is_met else missed).append(cells)
    return table(["claim", "paper", "peer", "goal", "ours", ""], missed + met)


def with_part(text: str, part: str) -> str:
    """`text` with what stands between its two marks replaced."""
    return PART.sub(lambda match: match[1] + part + match[2], text)


def document() -> str:
    """docs/benchmarks.md as it should be."""
    import yaml

    goals = yaml.safe_load((paths.BENCH / "goals.yaml").read_text(encoding="utf-8"))
    return with_part(DOCUMENT.read_text(encoding="utf-8"), claims(goals))


def write_documents() -> list[str]:
    """Bring the generated parts up to date; the benches whose results stay, as they have not run here."""
    kept = []
    for path in sorted(paths.BENCH.glob("*/results.md")):
        name = path.parent.name
        if has_run(name):
            path.write_text(with_part(path.read_text(encoding="utf-8"), results_part(name)), encoding="utf-8")
        else:
            kept.append(name)
    DOCUMENT.write_text(document(), encoding="utf-8")
    return kept
