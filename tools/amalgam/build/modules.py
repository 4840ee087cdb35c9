# SPDX-License-Identifier: MIT
"""`test --qemu10`: modules of system tests on QEMU 10, one after the other. Each one's result is kept in a file, so that a run of hours goes
on where it was stopped. A test that fails there is run once more by the machine's own emulator: what passes here differs, what fails here,
too, is no matter of QEMU 10. And what guests count by their own clock is counted by both: rows that differ are printed."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from amalgam import paths
from amalgam.artifacts import qemu10
from amalgam.errors import UserError, visible

KEPT = paths.BUILD / "qemu10.json"
SYSTEM = paths.ROOT / "tests" / "system"
COUNTED = ("exits",)  # benches of which guests count rows by their own clock
UNIT, PLUGIN = "instructions", "-kernel"  # other units are the host's time, which no two runs have in common; a plugin is 7.2's on both
OTHERS = "not second and not intel"  # Bochs' and Spike's are the same whatever QEMU is there
DIFFERS, FAILS_ON_BOTH = "differs", "fails on both"
Say = Callable[[str], None]


@dataclass
class Result:
    """What became of a module, or of a bench's rows."""

    passed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)  # a test, and its reason
    failed: dict[str, list[str]] = field(default_factory=dict)  # a test: whether it differs, and what it said
    status: int | None = None  # pytest's; None: it was begun, and not seen to the end
    seconds: int = 0
    tree: str = ""
    options: list[str] = field(default_factory=list)  # of pytest: those of one run say nothing about another one's

    def line(self, name: str) -> str:
        """One line of the list."""
        if self.status is None:
            return f"{name:48} begun, not seen to the end"
        if self.status not in (0, 1, 5):
            return f"{name:48} pytest ended with {self.status}"
        return f"{name:48} {self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped, {self.seconds} s ({self.tree})"

    def details(self) -> list[str]:
        """What must not be hidden."""
        failed = [f"  {kind}: {test}: {text}" for test, (kind, text) in self.failed.items()]
        return [visible(line) for line in (*failed, *(f"  skipped: {test}: {reason}" for test, reason in self.skipped.items()))]

    def is_settled(self, options: Sequence[str]) -> bool:
        """Whether it need not run again with these options."""
        return self.status in (0, 5) and self.options == list(options)


class Kept:
    """Results in a file, each written when it is there."""

    def __init__(self, file: Path):
        self.file = file
        try:
            stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            self.results = {name: Result(**fields) for name, fields in stored.items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise UserError(f"{paths.shown(file)} has no results that this version knows", "remove it: all modules run again") from error

    def put(self, name: str, result: Result) -> None:
        self.results[name] = result
        self.file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps({key: asdict(value) for key, value in self.results.items()}, indent=1) + "\n", encoding="utf-8")
        fresh.replace(self.file)


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Nobody else's results come into this file meanwhile."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # goes with its process, however that ends
        except BlockingIOError as error:
            raise UserError(f"another run writes its results to {paths.shown(file)}", "wait for its end") from error
        yield


def of(folder: Path, text: str) -> list[str]:
    """What has `text` in its name: modules by their path in `folder`, and the rows of benches."""
    found = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("test_*.py"))]
    return [name for name in (*found, *(f"rows of {bench}" for bench in COUNTED)) if text in name and name != "test_qemu10.py"]


def environment(version: str) -> dict[str, str]:
    """Of a run by that version of QEMU; "": by the machine's own, also where this run's PATH has the other one."""
    return {**os.environ, "PATH": qemu10.machines_path(), "AMALGAM_QEMU": version}


def read(report: Path) -> Result:
    """pytest's report of a module."""
    result = Result()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        wrong = next((part for part in case if part.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        name = case.get("name", "")
        if wrong is not None:
            result.failed[name] = [DIFFERS, (wrong.get("message") or "").split("\n")[0][:300]]
        elif skipped is not None:
            result.skipped[name] = (skipped.get("message") or "")[:300]
        else:
            result.passed += 1
    return result


def run_module(pytest: Sequence[str], file: Path, options: Sequence[str], version: str, log: Path) -> Result:
    """Run it once; `log` gets what pytest says."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [*pytest, "-q", "-n", "0", "-k", OTHERS, f"--junitxml={report}", *options, str(file)]
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w", encoding="utf-8") as output:
            done = subprocess.run(words, stdout=output, stderr=subprocess.STDOUT, check=False, env=environment(version), cwd=paths.ROOT)
        result = read(report) if report.exists() else Result()
    result.status = done.returncode
    return result


def judged(pytest: Sequence[str], file: Path, options: Sequence[str], version: str, log: Path) -> Result:
    """The same; what fails is run by the machine's own emulator, too."""
    result = run_module(pytest, file, options, version, log)
    for name, told in result.failed.items():
        again = [*pytest, "-q", "-n", "0", *options, f"{file}::{name}"]
        own = subprocess.run(again, capture_output=True, check=False, env=environment(""), cwd=paths.ROOT)
        told[0] = DIFFERS if own.returncode == 0 else FAILS_ON_BOTH
    return result


def rows(bench: str, version: str) -> dict[str, float]:
    """What guests count by that version. CalledProcessError."""
    words = [str(paths.ROOT / "amalgam"), "bench", bench, "--json"]
    told = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=environment(version)).stdout
    found = json.loads(told.splitlines()[-1])["rows"]
    return {row["metric"]: row["value"] for row in found if row["unit"] == UNIT and not row["metric"].endswith(PLUGIN)}


def compared(bench: str, version: str) -> Result:
    """Rows of a bench that are the same by both versions have passed."""
    try:
        here, there = rows(bench, ""), rows(bench, version)
    except subprocess.CalledProcessError as error:
        return Result(failed={f"bench {bench}": [DIFFERS, f"no rows: it ended with {error.returncode}"]}, status=1)
    others = {name: [DIFFERS, f"{here.get(name)} by the machine's own, {there.get(name)} there"] for name in here | there}
    failed = {name: told for name, told in others.items() if here.get(name) != there.get(name)}
    return Result(passed=len(others) - len(failed), failed=failed, status=1 if failed else 0)


def tree() -> str:
    """Which commit the tree is, and whether it is changed."""
    words = ["git", "-C", paths.ROOT, "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "no commit"


def log_of(file: Path, name: str) -> Path:
    """What pytest said of a module."""
    return file.parent / "qemu10-logs" / f"{name.replace('/', '-')}.txt"


def run(pytest: Sequence[str], text: str, options: Sequence[str], version: str, say: Say, file: Path = KEPT, folder: Path = SYSTEM) -> int:
    """Run what has `text` in its path and was not settled before; the status is 0 if all of it has passed."""
    wanted = of(folder, text)
    if not wanted:
        raise UserError(f"no module of {paths.shown(folder)} has '{text}' in its path", "ls tests/system", 2)
    with alone(file):
        kept = Kept(file)
        known = set(kept.results)
        for name in sorted(wanted, key=known.__contains__):  # what never ran first: who stands still is met last
            if name in known and kept.results[name].is_settled(options):
                continue
            at = tree()
            kept.put(name, Result(tree=at))
            begun = time.monotonic()
            if name.startswith("rows of "):
                result = compared(name.removeprefix("rows of "), version)
            else:
                result = judged(pytest, folder / name, options, version, log_of(file, name))
            result.tree, result.options, result.seconds = at, list(options), round(time.monotonic() - begun)
            kept.put(name, result)
            say(result.line(name))
        return end(kept, wanted, options, say)


def end(kept: Kept, wanted: Sequence[str], options: Sequence[str], say: Say) -> int:
    """The list's end: all that has run, and what it comes to."""
    results = [kept.results[name] for name in wanted]
    for name in wanted:
        log = log_of(kept.file, name)
        more = [f"  more: {paths.shown(log)}"] if not kept.results[name].is_settled(options) and log.exists() else []
        if details := [*kept.results[name].details(), *more]:
            say("\n".join([name, *details]))
    failed = [kind for result in results for kind, _ in result.failed.values()]
    passed, skipped = sum(result.passed for result in results), sum(len(result.skipped) for result in results)
    say(
        f"{len(results)} modules: {passed} passed, {skipped} skipped, {failed.count(DIFFERS)} differ, {failed.count(FAILS_ON_BOTH)} fail on both "
        f"({', '.join(sorted({result.tree for result in results}))})"
    )
    return 0 if all(result.is_settled(options) for result in results) else 1
