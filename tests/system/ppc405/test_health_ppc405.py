# SPDX-License-Identifier: MIT
"""What follows a fault, a reset and an overrun is what the guest's table says: on the board, for each action."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory
from probe import CODE, MSR_CE, SC, TRAP, Probe, calls, li, lis, mtspr, probe_domain

NOWHERE = 0x70000000  # no memory of anybody
BRANCH_SELF = 0x48000000
DBCR0, TCR, TSR, SYSTEM_RESET = 1010, 986, 984, 0x30000000
TCR_WATCHDOG_RESET, TCR_WIE, TCR_FIE = 0x30000000, 0x08000000, 0x00800000
FIT, WDT = 0x1010, 0x1020
SCHED_SET_PARAM, YIELD = calls()["sched_set_param"]["number"], calls()["yield"]["number"]
PROMISE = (1, 1, 0, SCHED_SET_PARAM)  # r3, r4, r5, r11: it promises to yield in each of its windows
DOWN = (0x3694FFFF, 0x4082FFFC)  # addic. r20, r20, -1; bne to it
KEPT = 0x60000  # of the probe's memory: zero in a new life


def system(event: str, action: Any, **more: Any) -> dict[str, Any]:
    """`victim` in a window of its own, and a monitor in the pool."""
    domains = {"victim": probe_domain(hypercalls=True, health={event: action}, **more), "mon": probe_domain(monitor=True)}
    frames = [{"core": 0, "length": "10ms", "windows": [{"domain": "victim", "start": 0, "length": "4ms"}]}]
    safe = [
        {
            "core": 0,
            "length": "8ms",
            "windows": [{"domain": "mon", "start": 0, "length": "4ms"}, {"domain": "victim", "start": "4ms", "length": "2ms"}],
        }
    ]
    # the monitor has a window in one plan only if it has one in all
    frames[0]["windows"].append({"domain": "mon", "start": "4ms", "length": "4ms"})
    return {"system": "health", "board": "ref405ep", "domains": domains, "frames": frames, "plans": {"safe": safe}}


def cause(victim: Probe, event: str) -> None:
    """Make the event happen; no answer is awaited."""
    if event == "fault":
        victim.tell("r", NOWHERE, 1)
    elif event == "reset":
        victim.load([mtspr(DBCR0, 3), TRAP])
        victim.tell("x", CODE, 0, SYSTEM_RESET, 0, 0, 0)
    else:
        victim.load([SC, BRANCH_SELF])
        victim.tell("x", CODE, 0, *PROMISE)


def log(memory: Memory) -> list[tuple[str, str]]:
    return [(e.event, e.action) for e in memory.events("victim") if e.event != "start"]


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60 * SCALE
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def settled(board: FleetBoard, memory: Memory, event: str) -> None:
    until(lambda: any(e == event for e, _ in log(memory)))


EVENTS = ("fault", "reset", "overrun")


@pytest.mark.parametrize("event", EVENTS)
def test_stop_ends_it_and_the_neighbour_goes_on(fleet: Callable[..., Any], event: str) -> None:
    with fleet(system(event, "stop")) as board:
        memory, victim, mon = Memory(board), Probe(board["victim"]), Probe(board["mon"])
        cause(victim, event)
        until(lambda: memory.state("victim") == "stopped")
        assert log(memory) == [(event, "stop")]
        assert mon.call("vm_info", 0, "state") == 0
        assert memory.vm("victim")["runs"] == memory.vm("mon")["runs"] == 1


@pytest.mark.parametrize("event", EVENTS)
def test_restart_begins_a_new_life_as_often_as_it_may(fleet: Callable[..., Any], event: str) -> None:
    with fleet(system(event, "restart", restarts=1)) as board:
        memory, victim, mon = Memory(board), Probe(board["victim"]), Probe(board["mon"])
        victim.write(KEPT, 0x1234)
        cause(victim, event)
        again = Probe(board["victim"])
        assert again.read(KEPT) == [0]
        assert log(memory) == [(event, "restart")]
        cause(again, event)
        until(lambda: memory.state("victim") == "stopped")
        assert log(memory) == [(event, "restart"), (event, "stop")]
        assert mon.call("vm_info", 0, "runs") == 2


@pytest.mark.parametrize("event", EVENTS)
def test_ignore_lets_it_go_on(fleet: Callable[..., Any], event: str) -> None:
    with fleet(system(event, "ignore")) as board:
        memory, victim = Memory(board), Probe(board["victim"])
        victim.write(KEPT, 0x1234)
        if event == "overrun":
            # r20 times around, some windows long; then the promise is taken back
            victim.load([SC, lis(20, 0x100), *DOWN, 0x38600001, 0x38800000, li(11, SCHED_SET_PARAM), SC, TRAP])
            victim.tell("x", CODE, 0, *PROMISE)
            victim.hear(60)
        else:
            cause(victim, event)
            victim.hear()
        settled(board, memory, event)
        assert set(log(memory)) == {(event, "ignore")}
        assert victim.read(KEPT) == [0x1234]
        assert memory.vm("victim")["runs"] == 1


@pytest.mark.parametrize("event", EVENTS)
def test_another_plan_takes_over_when_it_has_stopped(fleet: Callable[..., Any], event: str) -> None:
    with fleet(system(event, {"plan": "safe"})) as board:
        memory, victim, mon = Memory(board), Probe(board["victim"]), Probe(board["mon"])
        assert mon.call("window_info", "plan") == 0
        cause(victim, event)
        until(lambda: mon.call("window_info", "plan") == 1)
        assert memory.state("victim") == "stopped"
        assert log(memory) == [(event, "plan")]


def test_a_promise_that_is_kept_is_no_overrun(fleet: Callable[..., Any]) -> None:
    """Fifty windows long it yields in each; by counted instructions, so that no host can make it late."""
    with fleet(system("overrun", "stop"), icount=True) as board:
        memory, victim = Memory(board), Probe(board["victim"])
        windows = memory.times(0)["windows"]
        victim.load([SC, li(20, 50), li(11, YIELD), SC, 0x3694FFFF, 0x4082FFF4, li(3, 1), li(4, 0), li(11, SCHED_SET_PARAM), SC, TRAP])
        victim.tell("x", CODE, 0, *PROMISE)
        assert victim.hear(60)[0] == 0x700
        assert memory.times(0)["windows"] > windows + 3 * 49
        assert log(memory) == []


def test_the_watchdog_bites_who_does_not_feed_it(fleet: Callable[..., Any]) -> None:
    with fleet(system("reset", "restart", restarts=3)) as board:
        memory, victim = Memory(board), Probe(board["victim"])
        # 2^17 ticks (0.4 ms) a period, the third one resets
        victim.load([mtspr(TCR, 3), BRANCH_SELF])
        victim.tell("x", CODE, 0, TCR_WATCHDOG_RESET, 0, 0, 0)
        again = Probe(board["victim"])
        assert log(memory) == [("reset", "restart")]
        assert again.run([TRAP]).vector == "program"  # a new life's is off
        windows = memory.times(0)["windows"]
        until(lambda: memory.times(0)["windows"] > windows + 20)
        assert log(memory) == [("reset", "restart")]


def test_a_guest_takes_fit_and_watchdog_interrupts(fleet: Callable[..., Any]) -> None:
    with fleet(system("reset", "stop")) as board:
        victim = Probe(board["victim"])
        for vector, enable in ((FIT, TCR_FIE), (WDT, TCR_WIE)):
            victim.ask("n", vector)
            victim.run([mtspr(TCR, 3), TRAP], enable)
            until(lambda: victim.ask("c")[0] > 3)
            victim.run([mtspr(TCR, 3), mtspr(TSR, 4), TRAP], 0, 0xFFFFFFFF)
            before = victim.ask("c")[0]
            time.sleep(0.2)
            assert victim.ask("c")[0] == before, "it was switched off"


def test_an_access_that_is_refused_reaches_the_guest(fleet: Callable[..., Any]) -> None:
    """With `ignore` a fetch from nowhere is its machine check; a load from nowhere does nothing."""
    with fleet(system("fault", "ignore")) as board:
        memory, victim = Memory(board), Probe(board["victim"])
        assert victim.run([0x80830000, TRAP], NOWHERE, 0x77).r4 == 0x77  # lwz r4, 0(r3)
        state = victim.go(at=NOWHERE, msr=MSR_CE)
        assert (state.vector, state.pc) == ("200", NOWHERE)
        assert log(memory) == [("fault", "ignore")] * 2
