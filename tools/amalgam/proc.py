# SPDX-License-Identifier: MIT
"""Run a helper program quietly; its output is shown only when it fails."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from amalgam.errors import UserError


def need(program: str, package: str) -> str:
    """The program's path, or an error that names the package that brings it."""
    found = shutil.which(program)
    if not found:
        raise UserError(f"'{program}' is not installed", f"./amalgam setup   (it is in the package {package})")
    return found


def run(command: Sequence[str | Path], what: str, cwd: Path | None = None, timeout: float = 3600, env: dict[str, str] | None = None) -> str:
    """Run to the end and return stdout; a failure says `what` failed and shows the last lines."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            timeout=timeout,
            check=False,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as error:
        raise UserError(f"{what}: '{words[0]}' is not installed", "./amalgam setup") from error
    except subprocess.TimeoutExpired as error:
        raise UserError(f"{what}: no end after {timeout:.0f} s", "run it by hand: " + " ".join(words)) from error
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-40:])
        raise UserError(f"{what} failed (status {done.returncode}):\n{tail}", "run it by hand: " + " ".join(words))
    return done.stdout
