# SPDX-License-Identifier: MIT
"""What kernel/board/pc/quirks.c and tools/amalgam/board/mend.py work around is still so: without that the emulator fails as they say."""

from __future__ import annotations

import time
from typing import Any

import pytest
from amalgam.board import lifetime
from amalgam.board.console import ConsoleError

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
    with boot(system, cpu="EPYC,+svm,tcg-cpuid=off") as board, pytest.raises(ConsoleError, match="(?s)SIGABRT.*iothread"):
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
        while time.monotonic() < end and not board.ended() and " fault" not in board.kernel.text:
            time.sleep(0.2)
        return not board.ended() and " fault" not in board.kernel.text


def test_core_0_keeps_its_state_while_another_loads_extended_state(boot: Any, full: bool) -> None:
    assert lives(boot, 600 if full else 15)


@pytest.mark.full
def test_an_emulator_that_is_not_mended_loses_core_0s_state(boot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took 1 to 42 s. Should this fail, the emulator is sound: tools/amalgam/board/mend.py can go."""
    monkeypatch.setattr(lifetime, "mend", lambda _pid: False)
    assert not lives(boot, 600)
