# SPDX-License-Identifier: MIT
"""The processes that this one has started, and theirs: a compiler's driver that is ended leaves the compiler behind."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

Process = tuple[int, str]  # its number, and when it began: a number may be given again


def stat_of(pid: int) -> tuple[int, str] | None:
    """The parent of a process, and when it began; None: there is none. proc(5), /proc/PID/stat: the name may hold anything."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return int(words[1]), words[19]


def descendants() -> list[Process]:
    """All that live now, parents before children."""
    children: dict[int, list[Process]] = {}
    for name in (entry.name for entry in Path("/proc").iterdir()):
        if name.isdigit() and (found := stat_of(int(name))):
            children.setdefault(found[0], []).append((int(name), found[1]))
    left, listed = [os.getpid()], []
    while left:
        for process in children.get(left.pop(), []):
            listed.append(process)
            left.append(process[0])
    return listed


def withheld() -> float:
    """For how many seconds the one of their threads that had to wait longest was ready to run and had no processor, since it began.
    Documentation/scheduler/sched-stats.rst of Linux: /proc/PID/schedstat. 0 where the kernel does not count."""
    longest = 0
    for pid, _began in descendants():
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError, IndexError, ValueError):
                longest = max(longest, int(file.read_text(encoding="ascii").split()[1]))
    return longest / 1e9


def end(processes: list[Process]) -> None:
    """End those of them that still live."""
    for pid, began in processes:
        found = stat_of(pid)
        if found and found[1] == began:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)
