# SPDX-License-Identifier: MIT
"""Static checks. What to compile and how is taken from the kernel's own Makefile, so it cannot differ from the build."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from amalgam import paths, proc
from amalgam.build import portable
from amalgam.build.kernel import build_kernel
from amalgam.ui import Progress, say

Entry = dict[str, object]

# Choose how code is laid out, not what it means; clang does not know them. With -flto, gcc's -fanalyzer finds nothing at all.
GCC_ONLY = re.compile(
    r"-f(no-)?(thread-jumps|tree-|align-|inline-small-functions|conserve-stack|ipa-|code-hoisting|move-loop-invariants|caller-saves)"
    r"|-f(no-)?(lto|section-anchors|branch-count-reg|expensive-optimizations|shrink-wrap|optimize-sibling-calls)"
    r"|-m(preferred|incoming)-stack|-malign-data|-meabi|-msdata|-mmultiple|-mregnames"
)

# What the checkers say without being right here, each with its reason; findings not listed are fixed in the source.
CPPCHECK_WRONG = (
    "missingInclude",  # the generated headers are not on its path
    "comparePointers",  # the ends of an area that the linker laid out are two symbols by nature
)
TIDY_WRONG = (
    "bugprone-easily-swappable-parameters",  # (address, size) pairs are the rule in a kernel
    "bugprone-reserved-identifier",  # __packed, __initcalls_start: the implementation is us
    "bugprone-narrowing-conversions",  # registers are narrower than arithmetic: truncation is what is meant
    "bugprone-assignment-in-if-condition",  # `if ((err = f()))`
    "bugprone-implicit-widening-of-multiplication-result",  # factors are table indices, checked against limits far below 2^31
    "bugprone-suspicious-string-compare",  # `!memcmp(...)` is C's idiom
    "clang-analyzer-optin.performance.Padding",  # variables that cores share have a cache line each
    "clang-analyzer-security.insecureAPI.*",  # memcpy_s does not exist here
    "clang-analyzer-valist.Uninitialized",  # does not know that a va_list parameter is initialized by the caller
)


def make_says(folder: Path, *words: str) -> list[str]:
    """The commands of a complete build."""
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return proc.run(["make", "-B", "-n", "-C", folder, *words], "asking make", env=env).splitlines()


def command_entries() -> list[Entry]:
    """Linux's side of the attach shape: its Makefile compiles and links the command by one call."""
    folder = paths.ROOT / "linux"
    entries: list[Entry] = []
    for words in map(shlex.split, make_says(folder, "command")):
        sources = [w for w in words if w.endswith(".c")]
        common = [w for w in words if w not in sources and not w.startswith(("-static", "-Wl,"))]
        if sources and words[0] == "gcc":
            target = common.index("-o")
            common[target : target + 2] = []
            entries += [
                {"directory": str(folder), "file": str(folder / s), "arguments": [*common, "-c", str(folder / s), "-o", os.devnull]}
                for s in sources
            ]
    assert entries, "linux/Makefile says nothing about the command"
    return entries


def compile_commands(shape: str) -> Path:
    """Write compile_commands.json: every compiler call that a complete build would make."""
    folder = paths.ROOT / "kernel"
    entries = command_entries() if shape == "attach" else []
    for line in make_says(folder, f"SHAPE={shape}", "V=1", f"PYTHON={sys.executable}"):
        words = shlex.split(line, comments=True) if " -c " in line else []
        source = words[words.index("-c") + 1] if "-c" in words else ""
        if source.endswith((".c", ".S")) and Path(source).is_file() and str(paths.ROOT / "kernel") in source:
            entries.append({"directory": str(folder), "file": source, "arguments": [w for w in words if not GCC_ONLY.match(w)]})
    target = paths.ROOT / "compile_commands.json"
    target.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    return target


def lint(shape: str, progress: Progress) -> int:
    """All checkers over the kernel, and what goes with it; 1 when one has something to say."""
    build_kernel(shape, progress)  # the generated headers
    commands = compile_commands(shape)
    entries = [e for e in json.loads(commands.read_text(encoding="utf-8")) if e["file"].endswith(".c")]
    sources = [e["file"] for e in entries]
    progress("other instruction sets")
    with tempfile.TemporaryDirectory() as folder:
        wrong = portable.complaints(portable.sources(), Path(folder))
    bad = len(wrong)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    progress("gcc -fanalyzer")
    bad += many([([*analyzed(e["arguments"]), "-fanalyzer"], e["directory"]) for e in entries])
    progress("cppcheck")
    bad += show(
        subprocess.run(
            [
                proc.need("cppcheck", "cppcheck"),
                "-q",
                "--enable=warning,portability",
                "--inline-suppr",
                "--error-exitcode=1",
                *(f"--suppress={name}" for name in CPPCHECK_WRONG),
                "--std=c11",
                "-U__ASSEMBLY__",  # it tries both sides of a condition, and headers have a part for the assembler
                *(word for word in entries[-1]["arguments"] if word.startswith("-I")),  # a file of the kernel
                f"-I{paths.ROOT}/kernel/api",
                f"-I{paths.ROOT}/linux/amalgam",
                f"-I{paths.ROOT}/linux/command",
                *sources,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    )
    progress("clang-tidy")
    tidy = proc.need("clang-tidy", "clang-tidy")
    checks = "--checks=-*,bugprone-*,clang-analyzer-*," + ",".join(f"-{name}" for name in TIDY_WRONG)
    common = [
        tidy,
        "-quiet",
        f"-p={paths.ROOT}",
        "--warnings-as-errors=*",
        "--extra-arg=-Wno-unknown-warning-option",
        "--extra-arg=-Wno-unused-command-line-argument",
        checks,
    ]
    bad += many([([*common, source], str(paths.ROOT)) for source in sources])
    ruff = shutil.which("ruff", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    if ruff:
        progress("ruff")
        bad += show(
            subprocess.run(
                [ruff, "check", "--quiet", "tools", "tests", "bench"], cwd=paths.ROOT, capture_output=True, text=True, check=False
            )
        )
    say("lint: nothing found" if not bad else f"lint: {bad} complaint(s), see above")
    return int(bool(bad))


def analyzed(words: list[str]) -> list[str]:
    """The compiler's words, its result thrown away."""
    words = [w for w in words if w not in ("-MMD", "-MP")]
    words[words.index("-o") + 1] = os.devnull
    return words


def many(calls: list[tuple[list[str], str]]) -> int:
    """Run calls, each in its folder, on all processors; how many of them complained."""

    def run(call: tuple[list[str], str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(call[0], cwd=call[1], capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(map(show, pool.map(run, calls)))


def show(done: subprocess.CompletedProcess[str]) -> int:
    """Print what a checker said; 1 when it failed."""
    if done.returncode:
        print((done.stdout + done.stderr).strip())
    return int(done.returncode != 0)
