# SPDX-License-Identifier: MIT
"""Guests start on any number of cores, end as their table says, and leave a log; a damaged table starts nobody."""

from __future__ import annotations

import time
from typing import Any

import pytest
from amalgam.board.console import SCALE, ConsoleError
from amalgam.board.memory import Memory
from amalgam.system.partition import model

HELLO = {"kernel": "build:hello.elf", "memory": "1M"}


def system(name: str, domains: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"system": name, "board": "ref405ep", "domains": domains} | more


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_a_guest_for_each_core_says_hello_and_ends_the_run(fleet: Any, cores: int) -> None:
    names = [f"g{i}" for i in range(cores)]
    with fleet(system(f"hello{cores}", {n: HELLO | {"cores": [i], "power": "board"} for i, n in enumerate(names)}, cores=cores)) as board:
        for name in names:
            board[name].expect("hello: PVR 51210950 MSR 00000000\r*\n", 60)
            board[name].expect("hello: done after some time", 60)
        assert board.wait(60) == 0


def test_many_guests_share_one_core(fleet: Any) -> None:
    """Sixteen in the pool of one core: each gets its turn, and its console is its own."""
    names = [f"g{i}" for i in range(model.MAX_DOMAINS)]
    with fleet(system("sixteen", {n: HELLO | {"power": "board"} for n in names})) as board:
        assert board.wait(120) == 0
        for name in names:
            assert board[name].text.count("hello: PVR") == 1, board[name].text


def test_a_reset_starts_a_guest_again_as_often_as_its_table_says(fleet: Any) -> None:
    domain = HELLO | {"health": {"reset": "restart"}, "restarts": 2, "power": "board"}
    with fleet(system("restarts", {"g": domain})) as board:
        memory = Memory(board)
        assert board.wait(60) == 0
        assert board["g"].text.count("hello: PVR") == 3
        assert memory.vm("g")["runs"] == 3
        events = [(e.event, e.action, e.life) for e in memory.events("g")]
        assert [e for e in events if e[0] == "reset"] == [("reset", "restart", 1), ("reset", "restart", 2), ("reset", "stop", 3)]
        assert [life for event, _action, life in events if event == "start"] == [1, 2, 3]
        assert memory.state("g") == "stopped"


def test_a_fault_stops_its_guest_and_nobody_else(fleet: Any, tmp_path: Any) -> None:
    """A jump to where nothing is: the report names the cause, the neighbour goes on."""
    (tmp_path / "jump.bin").write_bytes(bytes.fromhex("3c6070007c6903a64e800420"))  # lis r3,0x7000; mtctr r3; bctr
    domains = {
        "bad": {"kernel": str(tmp_path / "jump.bin"), "memory": "1M"},
        "good": HELLO | {"cmdline": "us=300000", "power": "board"},
    }
    with fleet(system("fault", domains)) as board:
        memory = Memory(board)
        board["good"].expect("hello: done", 60)
        assert board.wait(60) == 0
        assert [e.event for e in memory.events("bad")] == ["start", "fault"]
        assert memory.events("bad")[1].action == "stop"
        assert "fault" in board.kernel.text


def test_the_run_goes_on_while_one_with_power_over_it_lives(fleet: Any) -> None:
    domains = {"a": HELLO | {"power": "board"}, "b": HELLO | {"power": "board", "cmdline": "us=1000000"}, "c": HELLO}
    with fleet(system("power", domains)) as board:
        board["b"].expect("hello: done", 60)
        for name in ("a", "c"):  # what one core says is heard in its order: these ended before, and b ran on
            assert "hello: done" in board[name].text
        assert board.wait(60) == 0


def test_a_guest_that_is_not_to_start_does_not(fleet: Any) -> None:
    with fleet(system("manual", {"a": HELLO | {"autostart": False}, "b": HELLO | {"power": "board", "cmdline": "us=200000"}})) as board:
        assert board.wait(60) == 0
        assert board["a"].text == ""
        assert Memory(board).vm("a")["runs"] == 0


@pytest.mark.parametrize("at", [0, 20, 90, 130])
def test_a_damaged_table_is_refused(fleet: Any, systems: Any, tmp_path: Any, at: int) -> None:
    wanted = system("damaged", {"g": HELLO})
    _made, image = systems.get(wanted)
    data = bytearray(image.read_bytes())
    data[at] ^= 0x40
    bad = tmp_path / "bad.img"
    bad.write_bytes(data)
    with fleet(wanted, image=bad) as board:
        board.kernel.expect("partition table refused", 30)
        with pytest.raises(ConsoleError):
            board["g"].expect("hello", 0.4)


def test_focus_moves_by_a_key_on_a_line_for_people(fleet: Any) -> None:
    """Untagged, one guest is heard and typed to; Ctrl-] and its number choose which."""
    talker = {"kernel": "build:rtos-native.elf", "memory": "1M", "cmdline": "tick_us=1000"}
    domains = {"a": talker | {"focus": True}, "b": HELLO | {"health": {"reset": "restart"}, "cmdline": "us=200000"}}
    with fleet(system("focus", domains), tagged=False) as board:
        line = board.node(0)
        line.expect("rtos", 60)
        time.sleep(1)
        assert "hello" not in line.text
        board.nodes[0].line.send(b"\x1d1")
        line.expect("hello: PVR", 60)
        start = len(line.text)
        time.sleep(1.5)
        assert "rtos" not in line.text[start:]


def test_a_core_that_dies_takes_only_its_own_guests_along(fleet: Any) -> None:
    talker = {"kernel": "build:rtos-native.elf", "memory": "1M", "cmdline": "tick_us=1000"}
    with fleet(system("dead", {f"g{i}": talker | {"cores": [i]} for i in range(3)}, cores=3)) as board:
        for name in board.names:
            board[name].expect("rtos", 60)
        board.kill(1)
        assert board.nodes[1].closed.wait(60 * SCALE)  # what it said before is heard
        heard = {name: len(board[name].text) for name in board.names}
        for name in ("g0", "g2"):
            board[name].seek(heard[name])
            board[name].expect(r"rtos.*\n(?:.*\n)*?.*rtos", 60)
        assert len(board["g1"].text) == heard["g1"]
        assert board.alive() == [0, 2]
