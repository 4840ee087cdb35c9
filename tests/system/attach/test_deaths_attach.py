# SPDX-License-Identifier: MIT
"""Beside Linux: two programs at the host's ends of tunnels and four guests exchange numbered messages, and five of them die or begin at
once (deaths.py); and a program that hangs over a destroy."""

from __future__ import annotations

import random
import re
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.system.compile import compile_system
from amalgam.system.units import MIB
from deaths import BOUND, ROUNDS_SLOW, rounds, seeded
from linuxhost import Host

pytestmark = pytest.mark.beside

GUEST = (
    "{boot: pvh, kernel: build:numbers.elf, memory: 16M, hypercalls: true, restart: [reset, fault], watchdog: 2s, devices: [{type: uart}]"
)
SYSTEM = f"""
system: deaths
board: attached
cores: 1
memory: 112M
domains:
  a: {GUEST}, cmdline: side0=0 side1=0}}
  b: {GUEST}, cmdline: side0=0 side1=0}}
  c: {GUEST}, cmdline: side0=1 side1=0}}
  d: {GUEST}, cmdline: side0=1 side1=1}}
channels:
  - {{name: host-a, between: [a, host], size: 4K}}
  - {{name: host-b, between: [b, host], size: 4K}}
  - {{name: a-c, between: [a, c], size: 4K}}
  - {{name: b-d, between: [b, d], size: 4K}}
  - {{name: c-d, between: [c, d], size: 4K}}
"""
CREATE = "amalgam domain create /lib/amalgam/deaths.img"
PROGRAMS = ("host-a", "host-b")  # each has the tunnel of its name


@pytest.fixture(scope="module")
def host(boot_linux: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("deaths")
    source, program = folder / "deaths.yaml", folder / "numbers"
    source.write_text(SYSTEM)
    _system, image = compile_system(source, lambda _text: None)
    includes = [f"-I{paths.ROOT / part}" for part in ("guests/include", "kernel/api", "linux/command", "linux/amalgam")]
    words = ["gcc", "-O2", "-std=gnu11", "-static", *includes, "-o", str(program), str(paths.ROOT / "tests/system/attach/numbers.c")]
    subprocess.run(words, check=True)
    files = {"lib/amalgam/deaths.img": image, "bin/numbers": program}
    with boot_linux(cores=2, memory=1536 * MIB, accel="tcg,thread=single", files=files) as host:
        host.ok(f"amalgam load; amalgam attach; {CREATE}", 200)
        for name in PROGRAMS:
            begin(host, name)
        yield host
        host.ok("kill $(pidof numbers); amalgam domain destroy", 200)


def begin(host: Host, name: str) -> None:
    host.ok(f"numbers {name} 1 >>/tmp/{name}.log 2>&1 & echo $! >/tmp/{name}.pid")


def signal(host: Host, name: str, what: str) -> str:
    return f"kill -{what} $(cat /tmp/{name}.pid)"


def domains(host: Host) -> dict[str, dict[str, Any]]:
    return {d["name"]: d for d in host.json("domain list")}


def lines(host: Host, name: str) -> list[tuple[int, int]]:
    """The life and the messages taken of each line that a program has said."""
    log = host.ok(f"tail -n 40 /tmp/{name}.log")
    assert "WRONG" not in log, log
    return [(int(m[1]), int(m[2])) for m in re.finditer(r"numbers: life (\d+) sent .*?; taken (\d+) ", log)]


def go_on(host: Host) -> None:
    """Each program takes messages of its guest: two lines of one life of its own, of which the later one has more."""
    end = time.monotonic() + BOUND * SCALE
    for name in PROGRAMS:
        first, last = (0, 0), (0, 0)
        while first[0] == 0 or last[0] != first[0] or last[1] <= first[1]:
            assert time.monotonic() < end, f"{name}: {first}, then {last}; {domains(host)}"
            last = (lines(host, name) or [last])[-1]
            first = first if first[0] == last[0] else last
            host.ok("usleep 200000")


def one_round(host: Host, rng: random.Random, stopped: str) -> str:
    """A guest is reset and one killed by orders of the programs, of which then one is killed and one hangs; one guest is stopped, and the
    one that was is started. Returns which was stopped."""
    before = domains(host)
    first, second = rng.sample(PROGRAMS, 2)
    stops = "d" if stopped == "c" else "c"
    orders = f"{signal(host, first, 'USR1')}; {signal(host, second, 'USR2')}; usleep 100000"
    deaths = f"{signal(host, first, 'KILL')}; {signal(host, second, 'STOP')}"
    last = [f"amalgam domain start {stopped}"] if stopped else []
    last.append(f"amalgam domain stop {stops}")
    host.ok("; ".join([orders, deaths, *last]))
    host.ok(signal(host, second, "KILL"))
    for name in (first, second):
        begin(host, name)
    end = time.monotonic() + BOUND * SCALE
    while True:
        now = domains(host)
        again = all(now[g]["restarts"] > before[g]["restarts"] for g in ("a", "b"))
        if again and all((now[g]["state"] == "running") == (g != stops) for g in now):
            break
        assert time.monotonic() < end, f"{before}, then {now}"
    assert not any("power-off" in d["end"] for d in now.values()), now  # a guest that saw what must not be powers itself off
    go_on(host)
    return stops


def test_five_deaths_at_once_beside_linux_leave_members_that_go_on(host: Host, full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    rng, stopped = seeded(capsys, "deaths beside Linux"), ""
    go_on(host)
    for _ in rounds(full, capsys, ROUNDS_SLOW):
        stopped = one_round(host, rng, stopped)
    assert host.complaints() == []


def test_a_program_that_hangs_over_a_destroy_writes_nothing_into_the_next_system(host: Host) -> None:
    """It is stopped wherever it is; the area that it still uses is not given again, and it goes on in the next system."""
    for _ in range(2):
        host.ok(signal(host, "host-a", "STOP"))
        host.ok(f"amalgam domain destroy; {CREATE}", 200)
        assert "does not let go of the shared area" in host.ok("amalgam log")
        host.ok(signal(host, "host-a", "CONT"))
        go_on(host)
        assert not any("power-off" in d["end"] for d in domains(host).values())
