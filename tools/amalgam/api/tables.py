# SPDX-License-Identifier: MIT
"""What the tables of kernel/api have in common: ranges of numbers, checks, errors, and tables inside documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
ERRORS = ROOT / "kernel/include/errors.h"
RANGE = 0x10000  # numbers of one table: base to base + 0xffff


class ApiError(Exception):
    """The description is wrong."""


def error_numbers() -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"#define (E\w+) +(\d+)", ERRORS.read_text(encoding="utf-8"))}


def check_errors(where: str, call: dict) -> None:
    """The errors of a call are numbers that there are, each with its reason."""
    known = error_numbers()
    for error, reason in call.get("errors", {}).items():
        if error not in known:
            raise ApiError(f"{where}: {error} is not in {ERRORS.name} (quote a text with a comma)")
        if not reason:
            raise ApiError(f"{where}: {error} has no reason")


def load(path: Path, call_keys: set[str], arg_keys: set[str], registers: int) -> dict:
    """A table whose calls have other numbers, known keys, errors that there are, and no more arguments than registers."""
    api = yaml.safe_load(path.read_text(encoding="utf-8"))
    numbers: set[int] = set()
    for call in api["calls"]:
        where = f"{path.name}: call {call['name']}"
        unknown = (call.keys() - call_keys).union(*(a.keys() - arg_keys for a in call["args"]))
        if unknown:
            raise ApiError(f"{where}: unknown key {', '.join(sorted(map(str, unknown)))} (quote a text with a comma)")
        if call["number"] in numbers or not 0 <= call["number"] < RANGE:
            raise ApiError(f"{where}: number {call['number']} is taken or outside 0..0xffff")
        numbers.add(call["number"])
        if len(call["args"]) > registers:
            raise ApiError(f"{where}: at most {registers} arguments")
        check_errors(where, call)
    api["calls"].sort(key=lambda c: c["number"])
    return api


def check_ranges(tables: Iterable[dict]) -> None:
    """A number is a call of one kind of caller."""
    bases = sorted(table["base"] for table in tables)
    for one, other in zip(bases, bases[1:], strict=False):
        if other - one < RANGE:
            raise ApiError(f"the numbers from {other:#x} on are in the range of {one:#x}")


def results(call: dict) -> str:
    """What it returns, with its errors, in one line."""
    return f"{call['returns']}" + "".join(f"; -{name}: {text}" for name, text in call.get("errors", {}).items())


def replaced(path: Path, source: str, table: str, text: str | None = None) -> str:
    """The document at `path`, or its `text`, with `table` between the marks of `source`."""
    begins = f"<!-- From {source}: edit that, then `python3 tools/amalgam/api/generate.py write`. -->\n"
    ends = f"<!-- End of what is from {source}. -->\n"
    before, found, rest = (text or path.read_text(encoding="utf-8")).partition(begins)
    _old, closed, behind = rest.partition(ends)
    if not found or not closed:
        raise ApiError(f"{path.name} has no marks for what is from {source}")
    return f"{before}{begins}{table}{ends}{behind}"
