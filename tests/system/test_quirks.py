# SPDX-License-Identifier: MIT
"""What kernel/board/pc/quirks.c and emulator/mend.py and board/virt.py of tools/amalgam work around is still so: without it the emulator fails as they say."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from amalgam.board import lifetime
from amalgam.board.console import SCALE, ConsoleError
from amalgam.board.virt import VirtMachine
from amalgam.emulator import mend
from support import said

GUEST = {
    "boot": "pvh",
    "kernel": "build:events.elf",
    "memory": "16M",
    "vcpus": 2,
    "cores": [0, 0],
    "devices": [{"type": "uart"}, {"type": "pc"}],
}


def test_qemu_dies_when_a_guest_lowers_cr8_unless_the_kernel_does_it(boot: Any) -> None:
    system = {"system": "quirks", "board": "q35", "cores": 1, "memory": "256M", "domains": {"g": GUEST}}
    with boot(system, cpu="EPYC,+svm,tcg-cpuid=off") as board, pytest.raises(ConsoleError, match="(?s)SIGABRT.*(iothread|bql)_locked"):
        board["g"].expect(r"events: done, \d+ wrong", 60)  # the kernel takes the board for silicon


def registers(core: int) -> dict[str, Any]:
    """Loads its extended state whenever it gets the core; leaves and enters guest mode all the time."""
    uart = [{"type": "uart"}]
    return {
        "boot": "pvh",
        "kernel": "build:registers.elf",
        "cmdline": "rounds=1000000000",
        "memory": "4M",
        "cores": [core],
        "devices": uart,
    }


SWITCHES = {
    "system": "switches",
    "board": "q35",
    "cores": 2,
    "memory": "256M",
    "domains": {"watched": registers(0), "one": registers(1), "two": registers(1)},
}


def lives(boot: Any, seconds: float) -> bool:
    """Does the board run that long, and every guest on it?"""
    end = time.monotonic() + seconds
    with boot(SWITCHES) as board:
        alive = True
        while alive and time.monotonic() < end:
            time.sleep(0.2)
            alive = not board.ended() and " fault" not in board.kernel.text
        return alive


def test_core_0_keeps_its_state_while_another_loads_extended_state(boot: Any, full: bool) -> None:
    assert lives(boot, 150 if full else 6)


@pytest.mark.full
def test_an_emulator_that_is_not_mended_loses_core_0s_state(boot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took 1 to 42 s. Should this fail, the emulator is sound: tools/amalgam/emulator/mend.py can go."""
    monkeypatch.setattr(lifetime, "mend", lambda _pid: 0)
    monkeypatch.setenv("AMALGAM_UNMENDED", "1")  # of a QEMU 10 in the cache
    assert not lives(boot, 600)


def pending() -> dict[str, Any]:
    """Leaves and enters guest mode all the time with an interrupt due that it does not take."""
    return {"boot": "pvh", "kernel": "build:pending.elf", "memory": "4M", "cores": [0], "devices": [{"type": "uart"}, {"type": "pc"}]}


TURNS = {
    "system": "turns",
    "board": "q35",
    "cores": 1,
    "memory": "256M",
    "domains": {"one": pending(), "two": pending()},
    "frames": [
        {
            "core": 0,
            "length": "1ms",
            "windows": [{"domain": "one", "start": "0ms", "length": "300us"}, {"domain": "two", "start": "300us", "length": "300us"}],
        }
    ],
}


def take_turns(boot: Any, seconds: float) -> bool:
    """Do both guests get their windows that long? Each needs an interrupt of the timer, and hears of it while it leaves or enters."""
    end = time.monotonic() + seconds
    with boot(TURNS) as board:
        try:
            while time.monotonic() < end:
                for name in ("one", "two"):
                    board[name].expect(r"pending: \d+", 30)
        except ConsoleError:
            return False
        return True


def test_a_core_hears_of_an_interrupt_that_comes_while_it_enters_a_guest(boot: Any, full: bool) -> None:
    assert take_turns(boot, 600 if full else 6)


@pytest.mark.full
def test_an_emulator_that_is_not_mended_forgets_an_interrupt(boot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took 15 to 92 s. Should this fail, the emulator is sound: that fault can go from tools/amalgam/emulator/mend.py."""
    monkeypatch.setattr(mend, "FAULTS", mend.FAULTS[:1])
    monkeypatch.setenv("AMALGAM_UNMENDED", "1")
    mend.find.cache_clear()
    try:
        assert not take_turns(boot, 600)
    finally:
        mend.find.cache_clear()


def sigio(pid: int, which: str) -> bool:
    """Whether the signal is in that set of the process's first thread: SigBlk, or ShdPnd, which holds what nobody has read."""
    status = Path(f"/proc/{pid}/task/{pid}/status").read_text(encoding="ascii")
    found = re.search(rf"{which}:\s*([0-9a-f]+)", status)
    assert found
    return bool(int(found[1], 16) >> (signal.SIGIO - 1) & 1)


REMINDERS = 5


def test_an_emulator_that_forgets_an_alarm_is_reminded(boot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the board says nothing its main loop gets a signal again and again, and reads it (docs/riscv.md)."""
    reminded: list[int] = []
    remind = VirtMachine.remind
    monkeypatch.setattr(VirtMachine, "remind", lambda machine, process: (remind(machine, process), reminded.append(process.pid)))
    task = {"kind": "task", "task": "jacobi", "cores": [0]}
    with boot({"system": "still", "board": "virt", "cores": 2, "domains": {"still": task}}, icount=True) as board:
        said(board, "kernel", "domain still: done", 60)
        begin, end = len(reminded), time.monotonic() + 60 * SCALE
        while len(reminded) < begin + REMINDERS or sigio(reminded[-1], "ShdPnd"):
            assert time.monotonic() < end and not board.ended(), "it reads nothing, or nobody reminds it"
            time.sleep(0.05)
        assert sigio(reminded[-1], "SigBlk")  # or nobody would have to read it
