# SPDX-License-Identifier: MIT
"""systems/web.yaml, web-virt.yaml and web-i586.yaml: a page of a process, by lwIP's httpd, an address by DHCP and a card that another process drives, as a browser on the host sees it."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.monitor import await_monitor, command
from support import free_ports, said

PATIENCE_S = 60 * SCALE


def page(port: int) -> str:
    """What a browser gets; it asks again while nobody answers."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
                return answer.read().decode()
        except (OSError, urllib.error.URLError):
            if time.monotonic() > end:
                raise


@pytest.mark.parametrize("system", ["web", "web-virt", "web-i586"])
def test_the_host_sees_the_page_of_a_process_also_after_its_driver_was_killed(boot: Any, system: str) -> None:
    port = free_ports(1)
    with boot(system, network=f"hostfwd=tcp:127.0.0.1:{port}-:80") as board:
        await_monitor(board)
        said(board, "web", "web: serves")
        first = page(port)
        assert "<h1>Amalgam</h1>" in first
        command(board, "restart card")
        again = page(port)
        served = [int(re.search(r"pages served<td>(\d+)", text)[1]) for text in (first, again)]  # type: ignore[index]
        assert served[1] > served[0]
