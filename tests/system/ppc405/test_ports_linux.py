# SPDX-License-Identifier: MIT
"""An unmodified Linux talks to a real-time guest by ARINC 653 ports: what the standard promises holds, and who breaks it is noticed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

PROMISES = ("tree", "refused", "created", "once", "empty", "arguments", "sampling", "age", "queuing", "overflow", "protection", "rings")
BOOT = 120  # seconds


def system(name: str, cores: int = 1, relay: str = "", previrt: bool = False, **linux: Any) -> dict[str, Any]:
    """Linux and its real-time peer with a port of each kind in each direction; on one core in windows."""
    domains = {
        "linux": {
            "kernel": "linux40x:vmlinux",
            "initrd": "linux40x:initrd",
            "cmdline": "console=ttyS0,115200 amalgam.run=ports",
            "memory": "16M",
            "previrt": previrt,
            "power": "board",
        }
        | linux,
        "rt": {"kernel": "build:relay.elf", "memory": "1M", "hypercalls": True, "cmdline": relay},
    }
    channels = [
        {"name": "command", "type": "sampling", "between": ["linux", "rt"], "write": "linux", "message": 16},
        {"name": "state", "type": "sampling", "between": ["linux", "rt"], "write": "rt", "message": 16},
        {"name": "jobs", "type": "queuing", "between": ["linux", "rt"], "write": "linux", "message": 64, "depth": 8},
        {"name": "results", "type": "queuing", "between": ["linux", "rt"], "write": "rt", "message": 64, "depth": 8},
    ]
    frame = {"core": 0, "length": "5ms", "windows": [{"domain": "rt", "start": 0, "length": "1ms"}]}
    frame["windows"].append({"domain": "linux", "start": "1ms", "length": "4ms"})
    more = {"frames": [frame]} if cores == 1 else {}
    return {"system": name, "board": "ref405ep", "cores": cores, "domains": domains, "channels": channels} | more


def kept(text: str) -> dict[str, str]:
    return dict(re.findall(r"^ports: (?!all|something)(\w+) (ok|FAILED)\r*$", text, re.MULTILINE))


def outcome(fleet: Callable[..., Any], wanted: dict[str, Any]) -> dict[str, str]:
    with fleet(wanted) as board:
        board["linux"].expect(r"init: ports ended with status \d+", BOOT)
        assert "fault" not in board.kernel.text
        # A Linux program rings by a store: bit 0 command, 2 jobs.
        assert re.findall(r"rung by (\w+)", board["rt"].text)[-1] == "5"
        return kept(board["linux"].text)


@pytest.mark.board
@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=pytest.mark.full)])
def test_linux_and_a_real_time_guest_keep_the_promises_of_ports(fleet: Callable[..., Any], cores: int) -> None:
    assert outcome(fleet, system(f"linux-ports-{cores}", cores)) == dict.fromkeys(PROMISES, "ok")


@pytest.mark.board
@pytest.mark.full
def test_pre_virtualized_linux_has_the_same_ports(fleet: Callable[..., Any]) -> None:
    assert outcome(fleet, system("linux-ports-pv", previrt=True)) == dict.fromkeys(PROMISES, "ok")


@pytest.mark.board
def test_a_damaged_message_is_noticed(fleet: Callable[..., Any]) -> None:
    """The control of the test above: the same with a relay that damages some of what it sends."""
    found = outcome(fleet, system("linux-ports-bad", relay="corrupt=1"))
    assert {name for name, result in found.items() if result == "FAILED"} == {"sampling", "queuing"}
