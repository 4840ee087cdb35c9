# SPDX-License-Identifier: MIT
"""Linux as a paravirtualized guest: it keeps the promises of the unmodified one, beside all other kinds of guests. Its kernel is built
once in some minutes, so these are long tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command
from guests405 import passed

pytestmark = [pytest.mark.board, pytest.mark.full]
BOOT = 180
CHECKS = ("process", "exec", "pipe", "signal", "kill", "fault", "memory", "timer", "sleep", "file", "arithmetic")


def linux(run: str = "", **more: Any) -> dict[str, Any]:
    console = "hvc0" if more.get("kernel", "").endswith("para") else "ttyS0,115200"
    words = f"console={console} {f'amalgam.run={run}' if run else ''}".strip()
    return {"kernel": "linux40x:vmlinux", "initrd": "linux40x:initrd", "cmdline": words, "memory": "16M", "power": "board"} | more


def para(run: str = "") -> dict[str, Any]:
    return linux(run, kernel="linux40x:vmlinux-para", irfm=True)


def system(name: str, domains: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"system": name, "board": "ref405ep", "domains": domains} | more


def checked(text: str) -> dict[str, str]:
    return dict(re.findall(r"^check: (?!all)(\w+) (ok|FAILED)$", text.replace("\r", ""), re.MULTILINE))


def test_it_keeps_its_promises_to_programs(fleet: Callable[..., Any]) -> None:
    with fleet(system("para", {"linux": para("check")})) as board:
        board["linux"].expect("init: check ended with status 0", BOOT)
        assert checked(board["linux"].text) == dict.fromkeys(CHECKS, "ok")
        assert board.wait(60) == 0


def test_its_console_takes_commands(fleet: Callable[..., Any]) -> None:
    with fleet(system("para-shell", {"linux": para()})) as board:
        await_shell(board["linux"], BOOT)
        assert run_command(board["linux"], "cat /sys/class/tty/console/active", 60) == ("hvc0\n", 0)
        assert run_command(board["linux"], "for i in 1 2 3; do echo $i > /tmp/f$i; done; cat /tmp/f?", 60) == ("1\n2\n3\n", 0)


def test_without_the_register_page_it_does_not_come_up(fleet: Callable[..., Any]) -> None:
    """The control: this kernel is no unmodified one that would run anywhere."""
    with fleet(system("para-alone", {"linux": linux("check", kernel="linux40x:vmlinux-para", hypercalls=True)})) as board:
        board.wait(60)
        assert "init:" not in board["linux"].text
        assert "fault" in board.kernel.text


def test_all_kinds_of_guests_share_a_board(fleet: Callable[..., Any]) -> None:
    """Unmodified, pre-virtualized and paravirtualized Linux and a paravirtualized real-time guest on two cores."""
    domains = {
        "plain": linux("check"),
        "prev": linux("check", previrt=True),
        "para": para("check"),
        "rt": {"kernel": "build:rtos-para.elf", "memory": "1M", "irfm": True},
    }
    with fleet(system("all-kinds", domains, cores=2)) as board:
        for name in ("plain", "prev", "para"):
            board[name].expect("init: check ended with status 0", 2 * BOOT)
            assert passed(board[name].text, CHECKS), name
        assert board["rt"].text
