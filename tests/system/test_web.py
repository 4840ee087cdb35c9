# SPDX-License-Identifier: MIT
"""systems/web.yaml, web-virt.yaml, web-i586.yaml and web-scc.yaml: a page of a process, by lwIP's httpd, an address by DHCP and a card that another process drives, as a browser on the host sees it."""

from __future__ import annotations

import contextlib
import http.client
import random
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import browsers
import pytest
from amalgam import paths
from amalgam.artifacts import apt
from amalgam.board.console import SCALE
from amalgam.board.monitor import await_monitor, command
from last_words import logs_of
from support import Ports, page, said
from yaml import safe_load

PATIENCE_S = 60 * SCALE


def forwarded(ports: Ports, to: int = 80) -> Callable[[], str]:
    """The network of a board whose port is the host's first one of these."""
    return lambda: f"hostfwd=tcp:127.0.0.1:{ports.first}-:{to}"


def row(text: str, name: str) -> list[str]:
    """The cells of a table's line that begins with that name."""
    return re.search(rf"<tr><td>{name}((?:<td>[^<\n]*)*)", text)[1].split("<td>")[1:]  # type: ignore[index]


def shown(port: int, name: str, state: str) -> list[str]:
    """The domain's line as soon as the page shows it in that state."""
    end = time.monotonic() + PATIENCE_S
    while True:
        cells = row(page(port), name)
        if cells[1] == state or time.monotonic() > end:
            assert cells[1] == state
            return cells


def test_the_pages_numbers_follow_a_domain_that_is_stopped_and_begun_again(boot: Any) -> None:
    """Kind, state, last end, starts, restarts, priority, threads, memory, run time, switches; and what `priority` at the control console sets."""
    ports = Ports(1)
    with boot("web", network=forwarded(ports)) as board:
        await_monitor(board)
        said(board, "web", "web: serves")
        first = shown(ports.first, "work", "running")
        assert first[:1] + first[2:7] == ["process", "", "1", "0", "8", "1"]
        command(board, "stop work")
        stopped = shown(ports.first, "work", "stopped")
        assert stopped[2:6] == ["stopped", "1", "0", "8"] and stopped[6] == "0"
        command(board, "start work")
        text = page(ports.first)
        again = row(text, "work")
        assert again[1] == "running" and again[3] == "2"
        assert int(row(text, "card")[8]) > 0  # it has run
        assert row(text, "card")[3] == "1"  # nobody else was begun again
        frame, begun, late = (float(cell) for cell in row(text, "0")[1:4])
        assert 19_000 < frame <= 20_000 and begun > 10 and late > 0
        windows = re.findall(r"<tr><td>0<td>(work|all others)<td>(\d+)<td>(\d+)", text)
        assert windows == [("work", "0", "2000"), ("all others", "2000", "18000")]
        rings = [int(n) for n in row(text, "frames")[3].split(", ")]
        command(board, "priority work 20")
        text = page(ports.first)
        assert row(text, "work")[5] == "20"
        assert sum(int(n) for n in row(text, "frames")[3].split(", ")) > sum(rings)  # the page itself came by that channel
        assert row(text, "frames")[:3] == ["card, web", "260", "yes"]


@pytest.mark.parametrize("times", [20, pytest.param(200, marks=pytest.mark.full)])
def test_driver_and_stack_are_killed_at_any_moment_and_the_page_comes_again(boot: Any, times: int) -> None:
    """While somebody asks for the page all the time; who is not killed begins no second life."""
    ports, chance, done = Ports(1), random.Random(34), threading.Event()

    def ask() -> None:
        while not done.is_set():
            with (
                contextlib.suppress(OSError, http.client.HTTPException),
                urllib.request.urlopen(f"http://127.0.0.1:{ports.first}/", timeout=1) as answer,
            ):
                answer.read()

    with boot("web", network=forwarded(ports)) as board:
        await_monitor(board)
        said(board, "web", "web: serves")
        asker = threading.Thread(target=ask)
        asker.start()
        try:
            for _time in range(times):
                for victim in ("card", "web"):
                    time.sleep(chance.uniform(0, 0.5) * SCALE)
                    command(board, f"restart {victim}")
        finally:
            done.set()
            asker.join()
        text = page(ports.first)
        assert [row(text, name)[3] for name in ("card", "web", "work")] == [str(times + 1), str(times + 1), "1"]


def test_core_0_of_an_scc_serves_the_page_while_all_cores_compute(boot: Any) -> None:
    """The card has its ports and its line from the kernel, as there is no firmware, and reaches core 0's memory by the board's addresses."""
    ports = Ports(1)
    with boot("web-scc", network=forwarded(ports)) as board:
        said(board, "kernel", "scc: all 48 kernels are up")  # what is typed before may be lost
        said(board, "web", "web: serves")
        first = page(ports.first)
        assert row(first, "card")[1] == "running" and row(first, "work")[1] == "running"
        said(board, "kernel", r"core 47: .*beat: begins")
        command(board, "restart card")
        text = page(ports.first)
        assert row(text, "card")[3] == "2"
        switches = int(row(first, "work")[9])
        end = time.monotonic() + PATIENCE_S
        while int(row(page(ports.first), "work")[9]) <= switches:  # core 0's own goes on
            assert time.monotonic() < end


@pytest.mark.full
def test_iperf_of_the_host_sends_to_a_program_of_the_board(boot: Any) -> None:
    """iperf 2 as Debian has it: by one connection, then by three at once."""
    iperf = apt.unpacked(paths.CACHE, "iperf", lambda _text: None) / "usr/bin/iperf"
    ports, size = Ports(1), 4 << 20
    made = safe_load((paths.ROOT / "systems/web.yaml").read_text(encoding="utf-8"))
    made["domains"]["web"]["program"] = "build:net-sink.elf"
    with boot(made, network=forwarded(ports, 5001)) as board:
        await_monitor(board)
        said(board, "web", "sink: listens")
        for connections in (1, 3):
            words = [iperf, "-c", "127.0.0.1", "-p", str(ports.first), "-n", str(size // connections), "-P", str(connections)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
            assert done.returncode == 0 and "bits/sec" in done.stdout, done.stdout + done.stderr
            for _connection in range(connections):
                taken = int(board["web"].expect(r"sink: (\d+) bytes$", PATIENCE_S)[1])
                assert size // connections <= taken < size // connections + (1 << 18)  # it sends whole buffers


@pytest.mark.parametrize("system", ["web", "web-virt", "web-i586"])
def test_the_host_sees_the_page_of_a_process_also_after_its_driver_was_killed(boot: Any, system: str) -> None:
    ports = Ports(1)
    with boot(system, network=forwarded(ports)) as board:
        await_monitor(board)
        said(board, "web", "web: serves")
        first = page(ports.first)
        assert "<h1>Amalgam</h1>" in first
        command(board, "restart card")
        again = page(ports.first)
        served = [int(re.search(r"pages served<td>(\d+)", text)[1]) for text in (first, again)]  # type: ignore[index]
        assert served[1] > served[0]


@pytest.mark.full
def test_a_browser_shows_the_page_of_a_running_board(boot: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    ports, browser = Ports(1), browsers.fetched()
    with boot("web", network=forwarded(ports)) as board:
        said(board, "web", "web: serves")
        page(ports.first)  # it has its address
        browsers.shows(browser, tmp_path, ports.first, logs_of(request.node) / "page.png")
