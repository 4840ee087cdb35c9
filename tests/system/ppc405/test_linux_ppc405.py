# SPDX-License-Identifier: MIT
"""Unmodified Linux 6.1: processes, pipes, signals, timers and files work on 1, 2 and 4 cores with 1 to 4 guests, and what it
says under us is what it says on the bare board, but for timing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amalgam.board.memory import Memory
from amalgam.board.shell import await_shell, run_command
from guests405 import passed

CHECKS = ("process", "exec", "pipe", "signal", "kill", "fault", "memory", "timer", "sleep", "file", "arithmetic")
BOOT = 120  # seconds, where four of them share a slow machine


def linux(cmdline: str = "", **more: Any) -> dict[str, Any]:
    return {
        "kernel": "linux40x:vmlinux",
        "initrd": "linux40x:initrd",
        "cmdline": f"console=ttyS0,115200 {cmdline}".strip(),
        "memory": "16M",
    } | more


def system(name: str, domains: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"system": name, "board": "ref405ep", "domains": domains} | more


def checked(text: str) -> dict[str, str]:
    """What guests/linux40x/check.c found, by promise."""
    return dict(re.findall(r"^check: (?!all)(\w+) (ok|FAILED)$", text.replace("\r", ""), re.MULTILINE))


def test_linux_keeps_its_promises_to_programs(fleet: Any) -> None:
    with fleet(system("check", {"linux": linux("amalgam.run=check", power="board")})) as board:
        board["linux"].expect("init: check ended with status 0", BOOT)
        assert checked(board["linux"].text) == dict.fromkeys(CHECKS, "ok")
        assert board.wait(60) == 0


def windows(core: int, *names: str) -> dict[str, Any]:
    """Each of them 5 ms, one after the other."""
    return {
        "core": core,
        "length": f"{5 * len(names)}ms",
        "windows": [{"domain": n, "start": f"{5 * i}ms" if i else 0, "length": "5ms"} for i, n in enumerate(names)],
    }


def test_pre_virtualized_ones_keep_them_beside_an_unmodified_one(fleet: Any) -> None:
    """Windows end anywhere in stubs and handlers; tables of several guests lie in one memory."""
    domains = {name: linux("amalgam.run=check", power="board", previrt=name != "plain") for name in ("one", "plain", "two")}
    with fleet(system("check-prev", domains, frames=[windows(0, *domains)], cores=1)) as board:
        for name in domains:
            board[name].expect("init: check ended with status 0", BOOT)
            assert checked(board[name].text) == dict.fromkeys(CHECKS, "ok"), name
        assert board.wait(60) == 0


LAYOUTS = {
    "two-on-one-in-windows": (1, 2, [windows(0, "l0", "l1")]),
    "four-on-two-in-windows": (2, 4, [windows(0, "l0", "l1"), windows(1, "l2", "l3")]),
    "three-on-two-in-the-pool": (2, 3, []),
    "four-on-four": (4, 4, [windows(i, f"l{i}") for i in range(4)]),
    "four-on-four-in-the-pool": (4, 4, []),
}
LONG = {"four-on-two-in-windows", "four-on-four", "four-on-four-in-the-pool"}


@pytest.mark.parametrize("layout", [pytest.param(name, marks=pytest.mark.full) if name in LONG else name for name in LAYOUTS])
def test_several_linux_share_cores(fleet: Any, layout: str) -> None:
    """All pass their checks at the same time, each on its own console."""
    cores, guests, frames = LAYOUTS[layout]
    domains = {f"l{i}": linux("amalgam.run=check", power="board") for i in range(guests)}
    with fleet(system(layout[:15], domains, cores=cores, memory="128M", **({"frames": frames} if frames else {}))) as board:
        for name in board.names:
            board[name].expect(r"init: check ended with status \d+", BOOT)
        for name in board.names:
            assert passed(board[name].text, CHECKS), name
        assert board.wait(60) == 0


def same_but_for_time(text: str) -> list[str]:
    """The lines without what timing decides: time stamps, the order of messages of work in the background."""
    lines = [re.sub(r"^\[ *\d+\.\d+\] ", "", line) for line in text.replace("\r", "").splitlines()]
    return sorted(line for line in lines if line.strip() and not re.search(r"Kernel command line|reboot:", line))


def test_the_same_image_says_the_same_on_the_bare_board_and_as_a_guest(fleet: Any, native: Any) -> None:
    wanted = system("same", {"linux": linux("amalgam.run=uname,-a", power="board")})
    with native(wanted) as bare:
        bare.console.expect("init: uname -a ended with status 0|init: uname,-a ended with status 0", BOOT)
        first = bare.console.text[: bare.console.position]
    with fleet(wanted) as board:
        board["linux"].expect("init: uname -a ended with status 0|init: uname,-a ended with status 0", BOOT)
        second = board["linux"].text[: board["linux"].position]
    assert same_but_for_time(first) == same_but_for_time(second)
    assert len(same_but_for_time(first)) > 40


def test_a_shell_takes_commands_and_a_reboot_is_a_new_life(fleet: Any) -> None:
    with fleet(system("shell", {"linux": linux(health={"reset": "restart"}, restarts=1, power="board")})) as board:
        console = board["linux"]
        await_shell(console, BOOT)
        assert run_command(console, "echo $((6 * 7)) | cat", 60) == ("42\n", 0)
        assert run_command(console, "cat /nonesuch 2>/dev/null", 60) == ("", 1)
        assert run_command(console, "for i in 1 2 3; do echo $i > /tmp/f$i; done; cat /tmp/f?", 60) == ("1\n2\n3\n", 0)
        console.send("reboot -f\n")
        console.expect("init: Linux .* is up", BOOT)
        await_shell(console, BOOT)
        assert run_command(console, "ls /tmp", 60) == ("", 0)
        memory = Memory(board)
        assert memory.vm("linux")["runs"] == 2
        console.send("reboot -f\n")
        assert board.wait(60) == 0
        assert [e.action for e in memory.events("linux") if e.event == "reset"] == ["restart", "stop"]
