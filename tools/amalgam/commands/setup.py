# SPDX-License-Identifier: MIT
"""`setup`: install the Debian packages that are missing and make the Python environment. Runs on a bare Python."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from amalgam import paths
from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.host.packages import PACKAGES, Package, missing
from amalgam.ui import say

APT_GET = ["apt-get", "-y", "--no-install-recommends"]


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "setup",
        "install what is needed",
        "Name the Debian packages that are missing and why each is needed, install them "
        "(as root, or by sudo where that asks nothing; else the line to type is shown), and make the Python environment. "
        "Nothing outside the checkout is touched but apt packages.",
        ["setup", "setup --list", "setup --dry-run"],
    )
    parser.add_argument("--list", action="store_true", help="only list all packages and why")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")


def run(args: argparse.Namespace) -> int:
    if args.list:
        for package in PACKAGES:
            print(f"{package.name:22} {package.why}")
        return 0
    wanted = missing()
    if wanted:
        say("these Debian packages are missing:")
        for package in wanted:
            say(f"  {package.name:22} {package.why}")
        install(wanted, args.dry_run)
    if not args.dry_run:
        done = subprocess.run([sys.executable, str(paths.ROOT / "amalgam"), "--make-environment"], check=False)
        if done.returncode:
            return done.returncode
    say("would make the Python environment" if args.dry_run else "everything is there; next: make run")
    return 0


def install(wanted: Sequence[Package], dry_run: bool) -> None:
    """Install by apt-get, as who we are allowed to be."""
    names = [package.name for package in wanted]
    line = "apt-get update && " + " ".join([*APT_GET, "install", *names])
    if not shutil.which("apt-get"):
        raise UserError("this machine has no apt-get: it is not a Debian", "install the packages above by its own means")
    prefix: list[str] = []
    if os.geteuid() != 0:
        sudo = shutil.which("sudo")
        if not sudo or subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode:
            raise UserError("installing packages needs root", f"as root: {line}\n  then: ./amalgam setup")
        prefix = [sudo, "-n"]
    if dry_run:
        say("would run: " + " ".join(prefix) + (" " if prefix else "") + line)
        return
    # `env` because sudo does not hand variables on.
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    for step in ([*quiet, "apt-get", "update"], [*quiet, *APT_GET, "install", *names]):
        say("running: " + " ".join(step))
        done = subprocess.run(step, check=False, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        if done.returncode and step[-1] != "update":
            raise UserError(f"apt-get failed (status {done.returncode})", "read its message above; then ./amalgam setup again")
