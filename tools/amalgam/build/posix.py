# SPDX-License-Identifier: MIT
"""`test posix --suite DIR`: a public suite, unchanged, compiled with the C library of processes and run on this machine's Linux by
tests/host/process_runner.c. Suites are libc-test (its functional and regression parts) and the Open POSIX Test Suite; neither is in the
tree. A case passes, fails, or cannot: it does not compile or link, for the reason that is told, or says itself that it is not supported."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from amalgam import paths
from amalgam.artifacts import process
from amalgam.artifacts.cpio import Archive
from amalgam.artifacts.machines import USUAL
from amalgam.build import programs
from amalgam.errors import UserError

RUNNER = paths.ROOT / "tests" / "host" / "process_runner.c"
RUNNER_WORDS = (
    *("-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie", "-static", "-nostdlib"),
    *("-mgeneral-regs-only", "-fno-tree-loop-distribute-patterns", "-fcf-protection=none"),
    *("-Wl,--defsym=runner_start=__executable_start", "-Wl,--defsym=runner_end=etext"),
)
STACK = 256 << 10  # bytes of the first thread's: suites have large arrays there
MEMORY = 32 << 20
THREADS = 48
PATIENCE = 40.0  # seconds for a case; one sleeps for 28
NO_DISPATCH = 77  # process_runner.c: this Linux cannot
PASSES, FAILS, CANNOT = "passes", "fails", "cannot"
WORKERS = 2
# What a compiler or linker says, and what is missing then.
REASONS = (
    (r"fatal error: (\S+): No such file", "no header {0}"),
    (r"undefined reference to [`'](\w+)'", "no {0}()"),
    (r"error: [‘'](\w+)[’'] undeclared", "no {0}"),
    (r"error: unknown type name [‘'](\w+)[’']", "no type {0}"),
    (r"error: storage size of [‘'](\w+)[’']", "no type of {0}"),
    (r"error: (.*)", "{0}"),
)


def build_runner(made: Path, stack: int | None = None) -> Path:
    """Compile process_runner.c; `stack`: bytes of a process's first stack, if not what the kernel gives."""
    words = [f"-DSTACK={stack}ull"] if stack else []
    subprocess.run(["gcc", *RUNNER_WORDS, *words, "-o", made, RUNNER], check=True)
    return made


@dataclass(frozen=True)
class Suite:
    """Where a suite's cases are, and what their status means."""

    title: str
    cases: Sequence[Path]
    group: Callable[[Path], str]
    words: Sequence[str]  # for the compiler
    common: Sequence[Path] = ()  # linked with each case, as far as they compile
    unsupported: Sequence[int] = ()  # statuses by which a case says that it cannot


@dataclass
class Outcome:
    """What became of a case."""

    case: str
    group: str
    result: str
    reason: str = ""


@dataclass
class Report:
    """All of a suite."""

    title: str
    outcomes: list[Outcome] = field(default_factory=list)

    def count(self, result: str, group: str | None = None) -> int:
        return sum(o.result == result and group in (None, o.group) for o in self.outcomes)

    def table(self) -> str:
        """As docs/programs.md has it: groups of which no case can be run are one line."""
        groups = sorted({o.group for o in self.outcomes})
        run = [group for group in groups if self.count(CANNOT, group) < sum(o.group == group for o in self.outcomes)]
        others = len(groups) - len(run)
        lines = [f"| {self.title} | passes | fails | cannot |", "|---|---|---|---|"]
        lines += [self.line(group, [group]) for group in run]
        if others:
            lines.append(self.line(f"{others} others", [group for group in groups if group not in run]))
        return "\n".join([*lines, self.line("all", groups)])

    def line(self, title: str, groups: Sequence[str]) -> str:
        counts = (str(sum(self.count(result, group) for group in groups)) for result in (PASSES, FAILS, CANNOT))
        return f"| {title} | " + " | ".join(counts) + " |"

    def reasons(self) -> str:
        """Why cases cannot, the most frequent reason first."""
        counted = Counter(o.reason for o in self.outcomes if o.result == CANNOT)
        return "\n".join(f"{count:5} cannot: {reason}" for reason, count in counted.most_common())


def libc_test(folder: Path) -> Suite | None:
    source = folder / "src"
    if not (source / "functional").is_dir():
        return None
    cases = [path for part in ("functional", "regression") for path in sorted((source / part).glob("*.c"))]
    common = [path for path in sorted((source / "common").glob("*.c")) if path.stem != "runtest"]
    return Suite("libc-test", cases, lambda case: case.parent.name, ["-I", str(source / "common")], common)


def open_posix(folder: Path) -> Suite | None:
    folder = folder / "testcases/open_posix_testsuite" if (folder / "testcases").is_dir() else folder
    interfaces = folder / "conformance" / "interfaces"
    if not interfaces.is_dir():
        return None
    cases = [path for path in sorted(interfaces.rglob("*.c")) if re.fullmatch(r"\d+-\d+\.c", path.name)]
    words = ["-I", str(folder / "include"), "-D_POSIX_C_SOURCE=200809L", "-D_XOPEN_SOURCE=700"]
    common = sorted((folder / "lib").glob("*.c"))
    return Suite("Open POSIX", cases, lambda case: "_".join(case.relative_to(interfaces).parts[0].split("_")[:2]), words, common, (4, 5))


def find_suite(folder: Path) -> Suite:
    for known in (libc_test, open_posix):
        if suite := known(folder):
            return suite
    raise UserError(
        f"'{folder}' is no suite that is known: neither src/functional (libc-test) nor conformance/interfaces (Open POSIX) is in it",
        "unpack github.com/Boeing/libc-test or github.com/linux-test-project/ltp and name its folder",
        2,
    )


def why(text: str) -> str:
    """Of a compiler's or linker's messages: what is missing."""
    for pattern, reason in REASONS:
        if found := re.search(pattern, text):
            return reason.format(*found.groups())
    return text.strip().splitlines()[-1] if text.strip() else "no message"


def wants_priorities(case: Path, ran: subprocess.CompletedProcess) -> bool:
    """Whether a case failed because it sets another policy or priority than the one there is: it says in what function."""
    return "sched" in ran.stdout.lower() and re.search(r"\b(SCHED_FIFO|SCHED_RR)\b", case.read_text(errors="replace")) is not None


class Bench:
    """Compiles and runs the cases of a suite in a folder of its own."""

    def __init__(self, suite: Suite, work: Path, tree: Path):
        self.suite, self.work = suite, work
        self.gcc = [USUAL.tool("gcc"), *process.compile_words(tree), "-w", "-O1", *suite.words]
        self.before, self.behind = process.link_words(tree)
        self.runner = build_runner(work / "runner", STACK)
        archive = Archive()
        archive.directory("tmp")
        self.files = work / "files"
        self.files.write_bytes(archive.bytes())
        self.common = [made for made in map(self.part, suite.common) if made]

    def part(self, source: Path) -> Path | None:
        """A file that cases share; None: it needs what is not there, and so do the cases that call it."""
        made = self.work / f"common-{source.stem}.o"
        done = subprocess.run([*self.gcc, "-c", source, "-o", made], capture_output=True, check=False)
        return made if done.returncode == 0 else None

    def run(self, case: Path) -> Outcome:
        group = self.suite.group(case)
        name = f"{case.parent.name}/{case.stem}"
        made = self.work / name.replace("/", "-")
        words = [*self.gcc, *self.before, case, *self.common, "-o", made, *self.behind]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            return Outcome(name, group, CANNOT, why(done.stderr))
        try:
            command = [self.runner, made, str(MEMORY), str(THREADS), self.files, name]
            ran = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            return Outcome(name, group, FAILS, f"not done after {PATIENCE:.0f} s")
        finally:
            made.unlink()
        if ran.returncode == NO_DISPATCH and "syscall user dispatch" in ran.stderr:
            raise UserError(ran.stderr.strip(), "use a machine with Linux 5.11 or later")
        if ran.returncode == 0:
            return Outcome(name, group, PASSES)
        if ran.returncode in self.suite.unsupported:
            return Outcome(name, group, CANNOT, "it says that something is not supported, or not tested")
        if wants_priorities(case, ran):
            return Outcome(name, group, CANNOT, "it sets priorities: there is one")
        said = ran.stdout.strip().splitlines()
        return Outcome(name, group, FAILS, f"status {ran.returncode}" + (f": {said[-1]}" if said else ""))


def run_suite(folder: Path, only: str, tell: Callable[[str], None]) -> Report:
    """Run a suite's cases whose path contains `only`; tell each that does not pass."""
    suite = find_suite(folder)
    cases: Iterable[Path] = [case for case in suite.cases if only in str(case)]
    if not cases:
        raise UserError(f"no case's path contains '{only}'", "leave out --only", 2)
    tree = programs.toolchain(tell)
    report = Report(suite.title)
    with tempfile.TemporaryDirectory(prefix="amalgam-posix-") as work:
        bench = Bench(suite, Path(work), tree)
        with ThreadPoolExecutor(min(WORKERS, len(os.sched_getaffinity(0)))) as pool:
            for outcome in pool.map(bench.run, cases):
                report.outcomes.append(outcome)
                if outcome.result != PASSES:
                    tell(f"{outcome.result:6} {outcome.case}: {outcome.reason}")
    return report
