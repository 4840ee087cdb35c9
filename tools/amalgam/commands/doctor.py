# SPDX-License-Identifier: MIT
"""`doctor`: what this machine has, what it lacks, and the next step. Runs on a bare Python."""

from __future__ import annotations

import argparse
import json
import os
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
from amalgam.board.mend import find
print("mended at each start" if find(pathlib.Path(sys.argv[2]).resolve()) else "not as in QEMU 7.2, left alone")
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


def examine() -> list[Finding]:
    """All findings, good and bad."""
    found = [Finding("Python", ".".join(map(str, sys.version_info[:3])), sys.version_info >= (3, 11), "install Python 3.11 or newer")]
    have = installed()
    found += [Finding(f"package {p.name}", have.get(p.name, ""), p.name in have, f"./amalgam setup   ({p.why})") for p in PACKAGES]
    for program, package in (("qemu-system-x86_64", "qemu-system-x86"), ("qemu-system-ppc", "qemu-system-ppc")):
        qemu = shutil.which(program)
        if qemu:
            version = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
            found.append(Finding(program, version[0] if version else "", bool(version), f"reinstall {package}"))
    ppc = (
        subprocess.run(["qemu-system-ppc", "-M", "help"], capture_output=True, text=True, check=False).stdout
        if shutil.which("qemu-system-ppc")
        else ""
    )
    if ppc:
        found.append(
            Finding("its ref405ep board", "there" if "ref405ep" in ppc else "", "ref405ep" in ppc, "QEMU 10 dropped it: take Debian 12's")
        )
    venv = Path(os.environ.get("AMALGAM_VENV", paths.ROOT / ".venv"))
    probe = (
        subprocess.run(
            [str(venv / "bin" / "python"), "-c", "import yaml, rich, elftools, kconfiglib, pytest"], capture_output=True, check=False
        )
        if (venv / "bin" / "python").exists()
        else None
    )
    found.append(Finding("Python environment", str(venv) if probe else "", probe is not None and probe.returncode == 0, "./amalgam setup"))
    qemu = shutil.which("qemu-system-x86_64")
    if qemu and found[-1].ok:
        says = [str(venv / "bin" / "python"), "-c", MENDED, str(paths.ROOT / "tools"), qemu]
        spot = subprocess.run(says, capture_output=True, text=True, check=False).stdout.strip()
        found.append(Finding("core 0's record in it", spot, bool(spot), "the check itself failed: run ./amalgam setup"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    found.append(
        Finding(
            "memory", f"{memory >> 20} MiB", memory >= LEAST_MEMORY, "a board takes 2 GiB: close other programs or take a larger machine"
        )
    )
    space = shutil.disk_usage(paths.ROOT).free
    found.append(Finding("disk space here", f"{space >> 20} MiB free", space >= LEAST_DISK, "free 3 GiB for build/ and .cache/"))
    found.append(Finding("processors", str(os.cpu_count()), True))
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
