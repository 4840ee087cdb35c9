# SPDX-License-Identifier: MIT
"""Processes that drive a network card of the board: they reach the network, whatever becomes of them nobody else is harmed, and they
begin again."""

from __future__ import annotations

import random
import time
from itertools import pairwise
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from amalgam.build.kernel import build_kernel
from support import listed, said, says

KILLS, KILLS_FULL = 20, 200
STEPS, STEPS_FULL = 20_000, 1_000_000
LIVES = 3
LINES = 7
PINGS = r"gateway: (\d+) of (\d+) pings answered"  # so far: a line for each 16
SEED = 34
BOARDS = ["q35", "i586", "virt", "q35-virtio"]
CLASSES = {"virt": "virtio-net", "q35-virtio": "virtio-net"}  # of a board's cards, where they are no RTL8139
PROGRAMS = {("q35-virtio", "build:gateway.elf"): "build:gateway_virtio.elf"}  # which on a PC do not choose that card by themselves
CARD = {"kind": "process", "memory": "128K", "cores": [1], "devices": ["rtl8139-0"]}
NEIGHBOUR = {
    "boot": "pvh",
    "kernel": "build:checksum.elf",
    "cmdline": "mib=1 report=64",
    "memory": "16M",
    "cores": [0],
    "devices": [{"type": "uart"}],
}


def system(board: str, **domains: dict[str, Any]) -> dict[str, Any]:
    class_ = CLASSES.get(board, "rtl8139")
    for domain in (d for d in domains.values() if d.get("kind") == "process" and d.get("devices")):
        domain["devices"] = [name.replace("rtl8139", class_) for name in domain["devices"]]
        domain["program"] = PROGRAMS.get((board, domain["program"]), domain["program"].replace("rtl8139", class_))
    return {"system": "driven", "board": board, "cores": 2, "memory": "128M", "domains": domains}


def gateway(*words: str, **more: Any) -> dict[str, Any]:
    return CARD | {"program": "build:gateway.elf", "arguments": ["gateway", *words]} | more


DRIVER = CARD | {"program": "build:rtl8139.elf", "threads": 2, "restart": ["fault"]}
FRAMES = [{"name": "frames", "between": ["driver", "gateway"], "size": "68K"}]


@pytest.mark.parametrize("board", BOARDS)
def test_a_program_pings_the_gateway_by_a_card_of_its_own(boot: Any, board: str) -> None:
    with boot(system(board, gateway=gateway("200"))) as running:
        said(running, "gateway", r"gateway: 200 of 200 pings answered, 0 rings lost")
        said(running, "kernel", "domain gateway: done: exit status 0")


def test_the_kernel_for_processors_of_intel_lends_cards_too(boot: Any) -> None:
    """Bochs has none of them; without VT-x this kernel hosts no guests, and does all else."""
    kernel = build_kernel("process-net-intel", lambda _text: None)
    with boot(system("q35", gateway=gateway("50")), kernel=kernel) as running:
        said(running, "kernel", "^vmx: this processor has AMD-V and no VT-x")
        said(running, "gateway", r"gateway: 50 of 50 pings answered, 0 rings lost")


@pytest.mark.parametrize("board", BOARDS)
def test_a_program_pings_by_a_driver_in_another_process_that_is_killed(boot: Any, board: str) -> None:
    """Each in a space of its own, with nothing in common but frames in a tunnel. Pings that were on their way get lost."""
    pings = {key: value for key, value in gateway("0", "0", "tunnel").items() if key != "devices"}
    dice = random.Random(SEED)
    with boot(system(board, driver=dict(DRIVER), gateway=pings) | {"channels": FRAMES}) as running:
        await_monitor(running)
        said(running, "gateway", r"gateway: [1-9]\d* of \d+ pings answered")
        for _ in range(3):
            time.sleep(dice.random() / 4)
            command(running, "restart driver")
        says(running, "gateway", PINGS)
        lost = [int(made) - int(answered) for answered, made in (running["gateway"].expect(PINGS).groups() for _ in range(LINES))]
        assert sum(a == b for a, b in pairwise(lost)) > LINES / 2, lost  # a busy host makes one late now and then


@pytest.mark.parametrize("board", ["q35", "virt"])
def test_a_driver_that_is_killed_pings_again(boot: Any, request: pytest.FixtureRequest, board: str) -> None:
    """At random moments, by the control console; and by its own fault, with a frame on its way, as its restart policy says."""
    dice = random.Random(SEED)
    kills = KILLS_FULL if request.config.getoption("--full") else KILLS
    crashes = gateway("5", "0", "fault", restart=["fault"], devices=["rtl8139-1"])
    with boot(system(board, gateway=gateway("0"), crashes=crashes)) as running:
        await_monitor(running)
        for _ in range(kills):
            time.sleep(dice.random() ** 3 / 2)
            command(running, "restart gateway")
        says(running, "gateway", r"gateway: (\d+) of \1 pings answered, 0 rings lost")
        for _life in range(2):
            says(running, "crashes", r"gateway: 5 of 5 pings answered")
        assert int(listed(running, "crashes")["restarts"]) > 0
        assert "not used" not in running.kernel.text


def test_what_names_foreign_memory_is_refused(boot: Any, request: pytest.FixtureRequest) -> None:
    """By each way that the card has, then by random values; a guest beside it computes on what it has computed before."""
    steps = STEPS_FULL if request.config.getoption("--full") else STEPS
    card = CARD | {"program": "build:card.elf", "arguments": ["card", str(steps)]}
    with boot(system("q35", card=card, neighbour=NEIGHBOUR)) as running:
        said(running, "card", rf"card: right, {steps} steps", 600)
        said(running, "kernel", "domain card: done: exit status 0")
        says(running, "neighbour", "checksum: round=")


@pytest.mark.parametrize("board", ["virt", "q35-virtio"])
def test_a_driver_that_lies_in_each_request_harms_nobody_and_its_next_life_finds_the_card_as_new(boot: Any, board: str) -> None:
    """The emulated card gives up at some of the requests; another driver beside it loses no ping."""
    liar = CARD | {"program": "build:liar.elf", "arguments": ["liar", "2000"], "restart": ["fault"], "cores": [0]}
    with boot(system(board, gateway=gateway("0", devices=["rtl8139-1"]), liar=liar)) as running:
        await_monitor(running)
        for _ in range(LIVES):
            says(running, "liar", "liar: answered")
            says(running, "liar", "liar: 2000 lies")
        says(running, "gateway", r"gateway: (\d+) of \1 pings answered, 0 rings lost")
        assert int(listed(running, "liar")["restarts"]) >= LIVES - 1
        assert "not used" not in running.kernel.text


def test_a_grant_that_cannot_be_leaves_the_domain_unstarted_and_says_why(boot: Any) -> None:
    """The emulator is started with one card less than the system names."""
    with boot(system("q35", gateway=gateway("10"), other=gateway("10", devices=["rtl8139-1"])), cards=1) as running:
        said(running, "kernel", "domain other: could not start: the board has no device rtl8139-1")
        said(running, "gateway", r"gateway: 10 of 10 pings answered")
