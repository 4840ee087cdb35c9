# SPDX-License-Identifier: MIT
"""No process of ours survives us, however we end: children get SIGKILL from Linux when their parent is gone.

An emulator among them is mended first (emulator/mend.py); one that is to load a plugin is one that can (artifacts.counting).
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

from amalgam import artifacts
from amalgam.emulator.mend import mend

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """In the child, before exec: ask for SIGKILL at the parent's death; end now if that was already."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def spawn(command: Sequence[str], **options) -> subprocess.Popen[bytes]:
    """Start a child that cannot outlive this process. Call from the main thread: its end counts as ours."""
    parent = os.getpid()
    process = subprocess.Popen(artifacts.counting(command), preexec_fn=lambda: die_with_parent(parent), **options)  # noqa: PLW1509
    try:
        mend(process.pid)
    except OSError as error:
        sys.stderr.write(f"note: the emulator's fault could not be mended ({error}): see AMD-V in docs/boards.md\n")
    return process


def worth_showing(line: str) -> bool:
    """QEMU says for each core which features of the model it cannot emulate: known, and the kernel asks CPUID anyway."""
    return "TCG doesn't support requested feature" not in line


def pass_on_errors(process: subprocess.Popen[bytes]) -> None:
    """Copy the child's stderr (a pipe) to ours, without what is not worth showing."""

    def copy() -> None:
        assert process.stderr
        for line in process.stderr:
            text = line.decode(errors="replace")
            if worth_showing(text):
                sys.stderr.write(text)
                sys.stderr.flush()

    threading.Thread(target=copy, daemon=True).start()


def end(process: subprocess.Popen[bytes]) -> int:
    """Terminate, then kill; returns the exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()
