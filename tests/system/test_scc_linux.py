# SPDX-License-Identifier: MIT
"""Linux 6.1 in ring 1 on cores of an SCC: on core 0 to a shell, on two others to a program, each beside the kernels of 48 cores, whose
programs compute, talk and answer meanwhile: to each other, to core 0's Linux and to the host."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from amalgam.board.shell import await_shell
from support import Ports, listed, page, restart_linux, said, shell

BOOT = 240
GUESTS = (5, 46)  # cores of the guest that runs one program
SERVER = 33  # core of the one that others fetch files from
PARTNERS = (1, 2, 17, 46, 47)  # of ping-pong, whose core 0 is its Linux; one of them has a guest beside it
ANSWER = (0, 1, 33, 47)  # cores with a page; all with --full


@pytest.fixture(scope="module")
def answer(request: pytest.FixtureRequest) -> tuple[int, ...]:
    return tuple(range(CORES)) if request.config.getoption("--full") else ANSWER


@pytest.fixture(scope="module")
def ports() -> Ports:
    return Ports(1)


@pytest.fixture(scope="module")
def board(boot_module: Any, ports: Ports, answer: tuple[int, ...]) -> Iterator[Board]:
    made = yaml.safe_load((paths.SYSTEMS / "scc-linux.yaml").read_text(encoding="utf-8"))
    linux = made["domains"]["linux"]
    linux["power"] = "domain"
    made["domains"]["web"]["ues"] = list(answer)
    made["domains"]["work"]["ues"] = [core for core in answer if core]
    made["domains"]["hello"] = {"kind": "process", "program": "build:hello.elf", "memory": "64K"}
    run = {"cmdline": "console=hvc0 quiet amalgam.run=uname,-srm", "ues": list(GUESTS), "focus": False, "restart": []}
    alone = {key: value for key, value in linux.items() if key not in ("joins", "devices")}
    made["domains"]["other"] = alone | run
    run = {"cmdline": "console=hvc0 quiet amalgam.address=10.0.2.34 amalgam.run=httpd,-f,-h,/bin"}
    made["domains"]["server"] = alone | run | {"ues": [SERVER], "focus": False, "devices": [{"type": "net"}]}
    with boot_module(made, network=lambda: f"hostfwd=tcp:127.0.0.1:{ports.first}-10.0.2.147:80") as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        await_shell(board["linux"], BOOT)
        yield board


def test_a_shell_answers_on_core_0(board: Board) -> None:
    assert re.fullmatch(r"Linux 6\.1\.\d+ i586\n", shell(board, "uname -srm"))
    numbers = sorted(f"{n}\n" for n in range(1, 1001))
    expected = hashlib.md5("".join(numbers).encode(), usedforsecurity=False).hexdigest()
    assert expected in shell(board, "seq 1 1000 | LC_ALL=C sort | md5sum")


@pytest.mark.parametrize("core", GUESTS)
def test_each_core_that_the_system_names_has_a_linux_of_its_own(board: Board, core: int) -> None:
    said(board, "kernel", rf"core {core}: \[other\] Linux 6\.1\.\d+ i586")
    said(board, "kernel", rf"core {core}: (?:\[\S+\] )?domain other: power-off: the guest powered off", BOOT)


def test_no_other_core_has_one(board: Board) -> None:
    assert listed(board, "other")["end"] == "stopped: it runs on other cores"
    assert {int(core) for core in re.findall(r"core (\d+): \[other\] init: Linux", board.kernel.text)} <= set(GUESTS)
    assert not re.search(r"core \d+: \[linux\]", board.kernel.text)


def test_programs_of_all_cores_run_beside_them(board: Board) -> None:
    for core in range(1, CORES):
        said(board, "kernel", rf"core {core}: (?:\[\S+\] )?domain hello: done: exit status 0")


def test_mail_between_kernels_is_right_beside_them(board: Board) -> None:
    command(board, "mail 45 100")
    said(board, "kernel", r"mail to core 45 and back, 100 times by either: at least \d+ ticks")


def test_guests_of_two_cores_reach_each_other(board: Board) -> None:
    """By the switch of one number that each of their kernels has."""
    said(board, "kernel", rf"core {SERVER}: \[server\] init: Linux", BOOT)
    assert "3 packets received" in shell(board, "ping -c 3 10.0.2.34")
    shell(board, "until wget -q -O /tmp/page http://10.0.2.34/busybox; do sleep 1; done")
    sums = shell(board, "md5sum < /tmp/page; md5sum < /bin/busybox; rm /tmp/page").split("\n")
    assert sums[0] == sums[1] != ""
    assert re.search(r" \d+ frames lost", command(board, "stats linux"))


def test_each_core_answers_linux_and_has_a_page(board: Board, answer: tuple[int, ...]) -> None:
    """By a port of its own of the switch that all cores are on, beside a domain that computes."""
    assert "addr:10.0.2.15" in shell(board, "ifconfig eth0")
    for core in answer:
        assert "1 packets received" in shell(board, f"ping -c 1 10.0.2.{100 + core}")
        assert "pages served" in shell(board, f"wget -q -O - http://10.0.2.{100 + core}/")


def test_linux_and_the_host_reach_each_other_and_other_cores_by_core_0s_card(board: Board, ports: Ports) -> None:
    """10.0.2.2 is the host, as the emulator's network shows it; the host's port is for core 47's page."""
    assert "3 packets received" in shell(board, "ping -c 3 10.0.2.2")
    assert "pages served" in page(ports.first)


def test_a_program_for_rcce_in_linux_plays_with_programs_of_other_cores(board: Board) -> None:
    """Twice: the others begin anew when it has ended."""
    for _round in range(2):
        text = shell(board, "pingpong 32 10", timeout=BOOT)
        for ue in range(1, len(PARTNERS) + 1):
            assert re.search(rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong", text)
    assert listed(board, "pingpong")["end"] == "stopped: it runs on other cores"


def left(board: Board, begin: int) -> None:
    """Each partner has noticed, in what the kernels said from `begin` on, that core 0's program is not in its run any more."""
    for core in PARTNERS:
        board.kernel.seek(begin)
        board.kernel.expect(rf"core {core}: (?:\[\S+\] )*rcce: the program of core 0 has left this run", BOOT)


def test_a_program_for_rcce_that_is_killed_is_no_loss_for_good(board: Board) -> None:
    """The others notice when the next one begins, begin anew by their restart policy, and play with it."""
    begin = len(board.kernel.text)
    shell(board, "pingpong 32 100000000 > /tmp/killed & sleep 8; kill -9 $!")
    assert "UE 5, 10 times 32 bytes and back" in shell(board, "pingpong 32 10", timeout=BOOT)
    left(board, begin)


def test_it_is_stopped_and_starts_again_from_nothing(board: Board) -> None:
    """What it shares with a program's other cores is cleared, too: those that waited for it notice."""
    shell(board, "echo here > /tmp/mark; pingpong 32 100000000 > /dev/null & sleep 8")
    begin = len(board.kernel.text)
    restart_linux(board, BOOT)
    assert "gone" in shell(board, "test -e /tmp/mark || echo gone")
    left(board, begin)
