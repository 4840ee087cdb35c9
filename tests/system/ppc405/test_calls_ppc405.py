# SPDX-License-Identifier: MIT
"""Every hypercall of kernel/api/calls.yaml on the board, with right and wrong arguments, from those who may and those who may not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory
from probe import CODE, MSR_PR, SC, TRAP, Probe, calls, mfdcr, mfspr, mtdcr, mtspr, probe_domain, split_field

EPERM, ENOENT, EAGAIN, EACCES, EFAULT, ERANGE, ENOSYS = -1, -2, -11, -13, -14, -34, -38
MEMORY = 0x100000  # of a probe
MON, USR, PLAIN, WORK = range(4)  # numbers of the domains
TUNNEL = 0xE0000000 - (1 << 32)  # as a signed number
SRR0, SRR1, SRR2, SRR3, SPRG1 = 26, 27, 990, 991, 273
UIC_SR, UIC_ER, UIC_VCR, SCRATCH = 0xC0, 0xC2, 0xC8, 0x70000  # SCRATCH: of the probe's memory, nothing lies there


def system() -> dict[str, Any]:
    tunnels = [
        {"name": "t0", "type": "tunnel", "between": ["mon", "usr"], "write": ["mon"]},
        {"name": "t1", "type": "tunnel", "between": ["usr", "work"], "size": "8K"},
    ]
    return {
        "system": "calls",
        "board": "ref405ep",
        "domains": {
            "mon": probe_domain(monitor=True, health={"fault": "ignore"}),
            "usr": probe_domain(hypercalls=True, priority=19, health={"fault": "ignore"}),
            "plain": probe_domain(),
            "work": probe_domain(hypercalls=True, autostart=False),
        },
        "plans": {"other": [{"core": 0, "length": "8ms", "windows": [{"domain": "any", "start": 0, "length": "2ms"}]}]},
        "channels": tunnels,
    }


class Board:
    """The board that the tests of this file share, and its guests."""

    def __init__(self, board: FleetBoard):
        self.board = board
        self.memory = Memory(board)
        self.probe = {name: Probe(board[name]) for name in ("mon", "usr", "plain")}
        for start in (SCRATCH, SCRATCH + 32, MEMORY - 64, MEMORY - 32):  # what console_write says must not end a line of the probe's
            self.probe["usr"].write(start, *[0x0A0A0A0A] * 8)

    def state(self) -> list[Any]:
        """What a refused call must not change."""
        part = [self.memory.vm(name)["part"] for name in self.board.names]
        kept = ("order", "taken", "tunnels", "prio", "promised", "restarts_left", "n_events")
        return [self.memory.shared()["plan"], self.withdrawn(), [[p[key] for key in kept] for p in part]]

    def followed(self, name: str) -> bool:
        """No order of a monitor waits for this guest."""
        part = self.memory.vm(name)["part"]
        return bool(part["order"] == part["taken"])

    def withdrawn(self) -> bytes:
        at = self.memory.layout.symbols["withdrawn"]
        return bytes(self.board.ram[at : at + 16])

    def rung(self, tunnel: int, end: int) -> bool:
        """A ring that this end has not been told of yet."""
        return self.board.ram[self.memory.layout.symbols["rings"] + 2 * tunnel + end] != 0

    def until(self, what: Callable[[], bool], seconds: float = 60 * SCALE) -> None:
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.01)


@pytest.fixture(scope="module")
def at(fleet_module: Callable[..., Any]) -> Iterator[Board]:
    with fleet_module(system()) as board:
        yield Board(board)


# (who, call, arguments, result); a result below 0 is a refusal
CASES: list[tuple[str, str, tuple[int | str, ...], int]] = [
    ("usr", "null", (), 0),
    ("usr", "null", (1, 2, 3), 0),
    ("usr", "yield", (), 0),
    ("usr", "sched_set_param", ("prio", 3), 0),
    ("usr", "sched_set_param", ("prio", 7), 0),
    ("usr", "sched_set_param", ("prio", 2), EPERM),
    ("usr", "sched_set_param", ("prio", 8), ERANGE),
    ("usr", "sched_set_param", ("prio", -1), ERANGE),
    ("usr", "sched_set_param", ("promise", 1), 0),
    ("usr", "sched_set_param", ("promise", 0), 0),
    ("usr", "sched_set_param", ("promise", 2), ERANGE),
    ("usr", "sched_set_param", (2, 0), ERANGE),
    ("mon", "create_comm_tunnel", (0,), TUNNEL),
    ("mon", "create_comm_tunnel", (0,), TUNNEL),  # again: the same
    ("mon", "create_comm_tunnel", (1,), ENOENT),  # others'
    ("mon", "create_comm_tunnel", (2,), ENOENT),
    ("mon", "create_comm_tunnel", (15,), ENOENT),
    ("mon", "create_comm_tunnel", (16,), ERANGE),
    ("mon", "create_comm_tunnel", (0x80000000,), ERANGE),
    ("mon", "tunnel_notify", (0,), 0),
    ("mon", "tunnel_notify", (1,), ENOENT),
    ("mon", "tunnel_notify", (16,), ERANGE),
    ("usr", "console_write", (SCRATCH, 0), 0),
    ("usr", "console_write", (SCRATCH, 64), 64),
    ("usr", "console_write", (SCRATCH, 65), ERANGE),
    ("usr", "console_write", (MEMORY - 64, 64), 64),
    ("usr", "console_write", (MEMORY - 63, 64), EFAULT),
    ("usr", "console_write", (MEMORY, 1), EFAULT),
    ("usr", "console_write", (0xFFFFFFFF, 2), EFAULT),
    ("usr", "console_read", (), EAGAIN),
    ("usr", "vm_info", (255, "id"), USR),
    ("usr", "vm_info", (USR, "id"), USR),
    ("usr", "vm_info", (255, "state"), 2),
    ("usr", "vm_info", (255, "core"), 0),
    ("usr", "vm_info", (255, "runs"), 1),
    ("usr", "vm_info", (255, "n_vms"), 4),
    ("usr", "vm_info", (255, "api_version"), 2),
    ("usr", "vm_info", (MON, "id"), EPERM),
    ("usr", "vm_info", (4, "id"), ENOENT),
    ("usr", "vm_info", (256, "id"), ENOENT),
    ("usr", "vm_info", (255, 8), ERANGE),
    ("mon", "vm_info", (USR, "id"), USR),
    ("mon", "vm_info", (PLAIN, "state"), 3),
    ("mon", "vm_info", (4, "id"), ENOENT),
    ("usr", "window_info", ("core",), 0),
    ("usr", "window_info", ("plan",), 0),
    ("usr", "window_info", ("own",), 0),
    ("usr", "window_info", (7,), ERANGE),
    ("mon", "event_read", (USR, 0, SCRATCH), 1),
    ("mon", "event_read", (USR, 0, MEMORY - 16), 1),
    ("mon", "event_read", (USR, 0, MEMORY - 15), EFAULT),
    ("mon", "event_read", (USR, 0, 0xFFFFFFF8), EFAULT),
    ("mon", "event_read", (USR, 1, SCRATCH), ENOENT),
    ("mon", "event_read", (USR, 0x7FFFFFFF, SCRATCH), ENOENT),
    ("mon", "event_read", (USR, 0x80000000, SCRATCH), ENOENT),
    ("mon", "event_read", (4, 0, SCRATCH), ENOENT),
    ("mon", "event_read", (255, 0, SCRATCH), ENOENT),
    ("mon", "event_read", (256, 0, SCRATCH), ENOENT),
    ("usr", "event_read", (USR, 0, SCRATCH), EPERM),
    ("mon", "plan_set", (0,), 0),
    ("mon", "plan_set", (2,), ENOENT),
    ("mon", "plan_set", (4,), ERANGE),
    ("usr", "plan_set", (1,), EPERM),
    ("mon", "vm_control", (4, "stop"), ENOENT),
    ("mon", "vm_control", (255, "stop"), ENOENT),
    ("mon", "vm_control", (256, "stop"), ENOENT),
    ("mon", "vm_control", (PLAIN, 2), ERANGE),
    ("usr", "vm_control", (PLAIN, "stop"), EPERM),
    ("usr", "vm_control", (USR, "start"), EPERM),
    ("mon", "tunnel_withdraw", (2, 1), ENOENT),
    ("mon", "tunnel_withdraw", (16, 1), ERANGE),
    ("mon", "tunnel_withdraw", (0, 2), ERANGE),
    ("usr", "tunnel_withdraw", (0, 1), EPERM),
]


def services() -> list[str]:
    return [name for name, call in calls().items() if "insn" not in call]


def test_no_service_is_forgotten() -> None:
    assert {case[1] for case in CASES} == set(services())
    refused_to_others = {case[1] for case in CASES if case[3] == EPERM}
    monitors = {name for name in services() if "no monitor" in calls()[name].get("errors", {}).get("EPERM", "")}
    assert monitors <= refused_to_others


def test_each_service_answers_as_its_manual_says(at: Board) -> None:
    wrong = []
    for who, name, arguments, expected in CASES:
        before = at.state()
        got = at.probe[who].call(name, *arguments)
        if got != expected:
            wrong.append(f"{who}: {name}{arguments} = {got}, not {expected}")
        if -4095 <= expected < 0 and at.state() != before:
            wrong.append(f"{who}: {name}{arguments} was refused and changed {before} to {at.state()}")
    assert wrong == []


def test_what_is_no_call_is_said_to_be_none(at: Board) -> None:
    for number in (len(calls()), 0x100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        state = at.probe["usr"].sc(number, 1, 2, 3)
        assert (state.vector, state.r3) == ("program", ENOSYS & 0xFFFFFFFF), hex(number)


@pytest.mark.parametrize(("who", "mode"), [("plain", 0), ("plain", MSR_PR), ("mon", MSR_PR)])
def test_without_the_right_sc_is_the_guests_own_system_call(at: Board, who: str, mode: int) -> None:
    """A domain without `hypercalls`, and problem mode of one with it: nothing happens but the exception."""
    before = at.state()
    for number in range(len(calls()) + 1):
        state = at.probe[who].sc(number, WORK, 1, 0x55, msr=mode)
        assert (state.vector, state.pc, state.msr & MSR_PR) == ("sc", CODE + 4, mode), number
        assert (state.r3, state.r4, state.r5, state.r11) == (WORK, 1, 0x55, number)
    assert at.state() == before


# (call, r3, r4, before, after): words to run around both the call and the instruction that it stands for
INSTRUCTIONS: list[tuple[str, int, int, list[int], list[int]]] = [
    ("mfmsr", 7, 0, [], []),
    ("mtmsr", 0x200, 0, [], []),
    ("wrtee", 0x8000, 0, [], []),
    ("mfevpr", 7, 0, [], []),
    ("mtevpr", 0x10000, 0, [], []),
    ("mfzpr", 7, 0, [mtspr(944, 4)], []),
    ("mtzpr", 0x12345678, 0, [], [mfspr(5, 944)]),
    ("mfpid", 7, 0x33, [mtspr(945, 4)], []),
    ("mtpid", 0x44, 0, [], [mfspr(5, 945)]),
    ("mfspr", SPRG1, 0x1234, [mtspr(SPRG1, 4)], []),
    ("mtspr", SPRG1, 0x5678, [], [mfspr(5, SPRG1)]),
    ("mfdcr", UIC_VCR, 0x00F00000, [mtdcr(UIC_VCR, 4)], []),
    ("mtdcr", UIC_VCR, 0x00F10000, [], [mfdcr(5, UIC_VCR)]),
    ("mtspr", SRR2, 0x5678, [], [mfspr(5, SRR2)]),
    ("tlbwehi", 0x30000 | 0x40, 7, [], [0x7CA70764]),  # tlbre r5, r7, 0: r7 is 0, so another entry
    ("tlbwehi", 0x30000 | 0x40, 0, [], [0x7CA40764]),  # tlbre r5, r4, 0
    ("tlbwelo", 0x30300, 0, [], [0x7CA40F64]),
    ("tlbrehi", 0, 0, [], []),
    ("tlbrelo", 0, 0, [], []),
    ("tlbsx", 0x30000, 0, [], []),
    ("tlbsx", 0x70000000, 0, [], []),
    ("tlbia", 3, 0, [], [0x7CA40764]),
    ("tlbsync", 3, 0, [], []),
    ("iccci", 3, 0, [], []),
    ("dccci", CODE, 0, [], []),
    ("icread", CODE, 0, [], []),
    ("dcread", CODE, 0, [], []),
]


@pytest.mark.parametrize("who", ["usr"])
def test_a_call_that_stands_for_an_instruction_does_what_it_does(at: Board, who: str) -> None:
    names = {name for name, call in calls().items() if "insn" in call} - {"tlb_load"}  # four in one: test_tlb_load.py
    assert names - {"rfi", "rfci"} == {name for name, *_ in INSTRUCTIONS}
    wrong = []
    for name, r3, r4, before, after in INSTRUCTIONS:
        call = calls()[name]
        word = call["insn"] | (split_field(r3) if call.get("field") else 0)
        found = []
        for insn in (word, SC):
            at.probe[who].run([mtspr(945, 0), mtspr(944, 0), TRAP])  # r0 is 0
            found.append(at.probe[who].run([*before, insn, *after, TRAP], r3, r4, 0x77, call["number"]))
        by_instruction, by_call = ((s.vector, s.pc, s.msr, s.cr, s.r3, s.r4, s.r5, s.r11) for s in found)
        if by_instruction != by_call or found[0].vector != "program":
            wrong.append(f"{name}: by the instruction {found[0]}, by the call {found[1]}")
    assert wrong == []


@pytest.mark.parametrize(("name", "pc", "msr"), [("rfi", SRR0, SRR1), ("rfci", SRR2, SRR3)])
def test_the_calls_that_return_from_interrupts_go_where_they_should(at: Board, name: str, pc: int, msr: int) -> None:
    target = CODE + 16
    words = [mtspr(pc, 3), mtspr(msr, 4), SC, TRAP, TRAP]
    state = at.probe["usr"].run(words, target, 0x200 | MSR_PR, 5, calls()[name]["number"])
    assert (state.vector, state.pc, state.msr, state.r3, state.r5) == ("program", target, 0x200 | MSR_PR, target, 5)


def test_console_calls_carry_bytes(at: Board) -> None:
    usr = at.probe["usr"]
    usr.write_bytes(SCRATCH, *b"wo\xffrd\n")
    usr.call("console_write", SCRATCH, 6)
    assert "wo\ufffdrd\n" in at.board["usr"].text
    # read until there is a byte: cmpwi r3,0; blt back to the sc, whose number is in r11 (which it may change)
    usr.load([0x39600000 | calls()["console_read"]["number"], SC, 0x2C030000, 0x4180FFF4, TRAP])
    usr.tell("x", CODE, 0, 0, 0, 0, 0)
    at.board["usr"].send("Z")
    assert usr.hear()[6] == ord("Z")


def test_a_monitor_starts_and_stops_others(at: Board) -> None:
    mon, work = at.probe["mon"], at.board["work"]
    assert at.memory.state("work") == "stopped"
    assert mon.call("vm_control", WORK, "start") == 0
    probe = Probe(work)
    assert probe.call("vm_info", 255, "runs") == 1
    probe.write(SCRATCH, 0x1234)
    assert mon.call("vm_control", WORK, "start") == 0  # again: a new life
    probe = Probe(work)
    assert probe.call("vm_info", 255, "runs") == 2
    assert probe.read(SCRATCH) == [0]
    assert mon.call("vm_control", WORK, "stop") == 0
    at.until(lambda: at.memory.state("work") == "stopped")
    assert mon.call("vm_info", WORK, "state") == 0
    assert [e.event for e in at.memory.events("work")] == ["start", "start", "order"]
    for name in ("mon", "usr", "plain"):
        assert at.memory.vm(name)["runs"] == 1, name


def test_the_log_that_a_guest_reads_is_the_one_that_the_host_sees(at: Board) -> None:
    mon = at.probe["mon"]
    for _ in range(6):  # more than the eight that are kept
        mon.call("vm_control", WORK, "start")
        at.until(lambda: at.followed("work"))
        mon.call("vm_control", WORK, "stop")
        at.until(lambda: at.memory.state("work") == "stopped" and at.followed("work"))
    count = at.memory.vm("work")["part"]["n_events"]
    assert count > 8
    assert mon.call("event_read", WORK, count - 9, SCRATCH) == ENOENT
    assert mon.call("event_read", WORK, count, SCRATCH) == ENOENT
    read = []
    for index in range(count - 8, count):
        assert mon.call("event_read", WORK, index, SCRATCH) == count
        when, what, code, value = mon.read(SCRATCH, 4)
        read.append((when, what >> 24, what >> 16 & 255, what >> 8 & 255, what & 255, code, value))
    events = at.memory.events("work")
    names = {"start": 3, "order": 4}
    assert read == [(e.when, names[e.event], {"stop": 0}[e.action], e.core, e.life, e.code, e.value) for e in events]
    assert all((b[0] - a[0]) % 2**32 < 2**31 for a, b in zip(read, read[1:], strict=False)), "not in the order of time"


def test_a_plan_changes_at_the_end_of_the_frame_and_back(at: Board) -> None:
    mon, usr = at.probe["mon"], at.probe["usr"]
    lengths = []
    for plan in (1, 0, 1, 0):
        assert mon.call("plan_set", plan) == 0
        at.until(lambda plan=plan: usr.call("window_info", "plan") == plan)
        lengths.append({usr.call("window_info", "ticks") for _ in range(20)})
        assert usr.call("window_info", "left") <= max(lengths[-1])
    assert lengths[1] == lengths[3] and lengths[0] | lengths[2] <= {666666, 666667, 1999999, 2000000}, lengths
    assert not lengths[0] & lengths[1]


def test_tunnels_are_made_rung_withdrawn_and_granted_again(at: Board) -> None:
    mon, usr = at.probe["mon"], at.probe["usr"]
    assert usr.call("tunnel_notify", 1) == EACCES  # not created
    assert usr.call("create_comm_tunnel", 1) == TUNNEL + 0x100000
    assert usr.call("create_comm_tunnel", 0) == mon.call("create_comm_tunnel", 0) == TUNNEL
    mon.write(0xE0000000, 0x600D)
    assert usr.read(0xE0000000) == [0x600D]
    state = usr.run([0x90830000, TRAP], 0xE0000000, 1)  # stw r4, 0(r3)
    assert state.vector != "program", "only mon may write"
    assert mon.read(0xE0000000) == [0x600D]

    at.until(lambda: not at.rung(0, 1))  # what other tests have rung for has reached the controller, and is not to be counted:
    usr.run([mtdcr(UIC_SR, 4), mtdcr(UIC_ER, 3), TRAP], 0x80000001, 1)
    usr.ask("n", 0)
    assert mon.call("tunnel_notify", 0) == 0
    at.until(lambda: usr.ask("c")[0] > 0)
    assert usr.ask("c")[0] == 1

    assert mon.call("tunnel_withdraw", 0, 1) == 0
    for probe in (mon, usr):
        at.until(lambda probe=probe: probe.run([0x80830000, TRAP], 0xE0000000, 0x77).r4 == 0x77)  # lwz r4, 0(r3) finds nothing
        assert probe.call("create_comm_tunnel", 0) == EACCES
        assert probe.call("tunnel_notify", 0) == EACCES
    assert usr.call("tunnel_notify", 1) == 0  # the other one is as it was
    assert mon.call("tunnel_withdraw", 0, 0) == 0
    assert mon.call("create_comm_tunnel", 0) == TUNNEL
    assert mon.read(0xE0000000) == [0x600D]
