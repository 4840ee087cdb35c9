# SPDX-License-Identifier: MIT
"""A whole Debian comes up, with systemd, and goes down in order."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command


@pytest.mark.full
def test_debian_with_systemd_comes_up_and_goes_down(boot: Any) -> None:
    with boot("debian-disk") as board:
        board["linux"].expect(r"amalgam-disk: Debian GNU/Linux 12 .* up", 500)
        await_shell(board["linux"], 100)
        assert run_command(board["linux"], "ps -o comm= 1; systemctl is-system-running", 60)[0].split("\n")[0] == "systemd"
        assert run_command(board["linux"], "systemctl --failed --no-legend | wc -l", 60) == ("0\n", 0)
        board["linux"].send("systemctl poweroff\n")
        board.kernel.expect("domain linux: power-off", 120)
        assert board.wait(60) == 0
