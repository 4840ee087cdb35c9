# SPDX-License-Identifier: MIT
"""A Linux on the bare board as tests use it: commands at its shell, its log, what it has in memory."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from amalgam.board.serial import SerialBoard
from amalgam.board.shell import await_shell, run_command
from support import LATE

# A memory block that cannot go offline makes Linux describe the page; the next one is tried then.
UNMOVABLE = r"page:|flags:|raw:|page dumped|unmovable"
NOISE = f"{LATE}|loading out-of-tree module taints|hpet retried"  # the emulator was away while Linux compared two clocks

OWN_LINE = re.compile(r"\[ *\d+\.\d{6}\] .*\n")  # in the middle of another's, too

LEAK = 3  # KiB a cycle; a page is 4
CLOSE, UPTIME = 0.25, 0.01  # seconds: an interval that is small enough, and the step in which Linux says its time


@dataclass(frozen=True)
class Memory:
    """What a leak would change; KiB."""

    free: int
    percpu: int
    slab: int
    interrupts: int


class Host:
    def __init__(self, board: SerialBoard, patience: float = 150):
        self.board = board
        await_shell(board.console, patience)
        self.known = set(self._log())  # what the boot said

    def run(self, command: str, timeout: float = 120) -> tuple[str, int]:
        """What it printed, and its status."""
        return run_command(self.board.console, command, timeout)

    def ok(self, command: str, timeout: float = 120) -> str:
        """The same for a command that must succeed."""
        output, status = self.run(command, timeout)
        assert status == 0, f"{command}: status {status}\n{output}"
        return output

    def refused(self, command: str, says: str, status: int = 1) -> None:
        """A command that must fail with these words, and a next step where it gives one."""
        output, got = self.run(command)
        assert got == status, f"{command}: status {got} instead of {status}\n{output}"
        assert re.search(says, output), output

    def json(self, command: str, timeout: float = 120) -> Any:
        """What it answers. Behind an oops Linux says all on its console, at any moment: lines of its own are left out."""
        return json.loads(re.sub(OWN_LINE, "", self.ok(f"amalgam --json {command}", timeout)))

    @property
    def state(self) -> str:
        return self.json("status")["state"]

    def attach(self) -> None:
        """Attached, whatever was before."""
        if self.state == "empty":
            self.ok("amalgam load")
        if self.state == "loaded":
            self.ok("amalgam attach")

    def bare(self) -> None:
        """Without the module, whatever was before."""
        if self.ok("ls -d /sys/module/amalgam 2>/dev/null || true"):
            if self.state == "attached":
                self.ok("amalgam detach")
            self.ok("rmmod amalgam")

    def _log(self) -> list[str]:
        return self.ok("dmesg -r -s 1000000").splitlines()

    def complaints(self, memory: bool = False) -> list[str]:
        """Warnings and worse in Linux' log since the boot, or since the last call. `memory`: some was asked to go offline."""
        lines = [line for line in self._log() if line not in self.known]
        self.known |= set(lines)
        return [line for line in lines if re.match(r"<[0-4]>", line) and not re.search(f"{NOISE}|{UNMOVABLE}" if memory else NOISE, line)]

    def memory(self) -> Memory:
        """After everything that may go has gone."""
        self.ok("sync; echo 3 >/proc/sys/vm/drop_caches; sleep 0.3; echo 3 >/proc/sys/vm/drop_caches")
        lines = dict(re.findall(r"^(\w+): +(\d+)", self.ok("cat /proc/meminfo"), re.M))
        interrupts = len(self.ok("cat /proc/interrupts").splitlines())
        lists = int(self.ok("awk '$1 == \"count:\" { n += $2 } END { print n }' /proc/zoneinfo"))  # free, too: each CPU keeps some
        return Memory(int(lines["MemFree"]) + 4 * lists, int(lines["Percpu"]), int(lines["SUnreclaim"]), interrupts)

    def cycles_keep_memory(self, cycles: int) -> None:
        """Without other load, which takes and frees memory of its own: less than a page a cycle is lost."""
        self.ok("amalgam cycle 10")
        before = self.memory()
        assert self.json(f"cycle {cycles}", 60 + cycles)["cycles"] == cycles
        self.keeps(before, LEAK * cycles, LEAK * cycles)

    def keeps(self, before: Memory, free: float = math.inf, slab: float = math.inf) -> None:
        """Less than so many KiB are gone. What Linux frees in the background is waited for: a leak does not go away."""
        for _ in range(8):
            after = self.memory()
            same = (after.percpu, after.interrupts) == (before.percpu, before.interrupts)
            if same and before.free - after.free < free and after.slab - before.slab < slab:
                return
            self.ok("sleep 1")
        raise AssertionError(f"before {before}, after {after}; less than {free} KiB may be gone, {slab} KiB of them to slabs")

    def clock(self) -> tuple[float, float]:
        """Between what and what Linux' clock is ahead of ours, as closely as a busy host lets us look; only differences mean anything."""
        low, high = -math.inf, math.inf
        for _ in range(40):
            before = time.monotonic()
            up = float(self.ok("cat /proc/uptime").split()[0])
            low, high = max(low, up - time.monotonic()), min(high, up + UPTIME - before)
            if high - low < CLOSE:
                return low, high
        raise AssertionError(f"this host answers too slowly to tell Linux' clock: {low} to {high} s")

    def moved(self, before: tuple[float, float]) -> float:
        """By how many seconds, at least, its clock has gone wrong since then."""
        low, high = self.clock()
        return max(0.0, low - before[1], before[0] - high)

    @contextmanager
    def stress(self, kinds: str = "") -> Iterator[None]:
        """All kinds of work meanwhile, none of which may notice anything."""
        self.ok(f"amalgam-stress 0 {kinds} >/tmp/stress.log 2>&1 & echo $! >/tmp/stress.pid")
        yield
        said = self.ok(
            "kill -TERM $(cat /tmp/stress.pid); while kill -0 $(cat /tmp/stress.pid) 2>/dev/null; do usleep 50000; done; cat /tmp/stress.log",
            300,
        )
        assert "stress: all right" in said, said
