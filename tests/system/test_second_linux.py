# SPDX-License-Identifier: MIT
"""A Debian Linux on two CPUs beside a real-time partition with a window, on an AMD-V that is not QEMU's: to its shell. Long: four minutes of
processor time."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command
from second import FAST

pytestmark = pytest.mark.beside


@pytest.mark.full
@pytest.mark.timeout(0)
def test_debian_comes_to_its_shell_on_the_amd_v_of_a_second_emulator(boot: Any) -> None:
    with boot("debian", emulator="bochs", **FAST["bochs"]) as board:
        await_shell(board["linux"], 1800)
        assert run_command(board["linux"], "nproc", 120) == ("2\n", 0)
        assert "PANIC" not in board.kernel.text and "FAULT" not in board.kernel.text
