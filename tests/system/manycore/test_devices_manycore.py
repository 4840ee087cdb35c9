# SPDX-License-Identifier: MIT
"""Devices that the firmware has for a cluster, whose processes drive them (docs/devices.md). The gateway is the emulator itself, which answers at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import browsers
import pytest
from amalgam import paths
from amalgam.artifacts import littlefs
from amalgam.artifacts.error import NotFetchedError
from last_words import logs_of
from manycores import BOARDS, Start
from support import Ports, page, said, says
from yaml import safe_load

pytestmark = pytest.mark.beside

LIVES = 3
KERNELS = {"manycore": "shape:cluster-net", "manycore32": "shape:cluster32-net"}
ALSO_32 = ("manycore", pytest.param("manycore32", marks=pytest.mark.full))
PAGES = {"web-manycore": "riscv64", "web-manycore32": "riscv32"}
COMPUTES = {  # a cluster that says how far it is
    "memory": "4M",
    "domains": {"sums": {"kind": "process", "program": "build:checksum.elf", "arguments": ["checksum", "16"], "memory": "2M"}},
}
CARD = {"kind": "process", "memory": "128K", "cores": [1], "threads": 1, "devices": ["virtio-net-0"]}


def gateway(*words: str, **more: Any) -> dict[str, Any]:
    return CARD | {"program": "build:gateway.elf", "arguments": ["gateway", *words], "power": "board"} | more


def system(domains: dict[str, Any], board: str = "manycore", **clusters: dict[str, Any]) -> dict[str, Any]:
    io = {"kind": "io", "harts": 4, "memory": "4M", "domains": domains}
    return {"system": "driven", "board": board, "kernel": KERNELS[board], "clusters": {"io": io, **clusters}}


@pytest.mark.parametrize("board", BOARDS)
def test_a_process_of_a_cluster_pings_the_gateway_by_a_card_of_its_own(clusters: Start, board: str) -> None:
    said = clusters(system({"gateway": gateway("200")}, board, beside={"count": 2}))["io"].text
    assert "gateway: 200 of 200 pings answered, 0 rings lost" in said
    assert "domain gateway: done: exit status 0" in said


RIGHT = re.compile(r"^\d{4} calls, 0 wrong, 76 bytes from 52:55, memory beside them as it was$", re.MULTILINE)


def lent(board: str, **more: Any) -> dict[str, Any]:
    """A kernel of a cluster with a card, and one without."""
    io, stranger = {"kind": "io", "harts": 2, "devices": ["virtio-net-0"]}, {"harts": 1}
    return {"system": "lent", "board": board, "kernel": "build:device.elf", "clusters": {"io": io | more, "stranger": stranger}}


@pytest.mark.parametrize("board", BOARDS)
def test_a_hostile_kernel_that_has_a_device_reaches_its_own_slice_and_another_one_no_device(clusters: Start, board: str) -> None:
    """Each call of the firmware in each wrong way (guests/manycore/device.c), each foreign address in each place of a request; then the card still answers."""
    ended = clusters(lent(board))
    assert RIGHT.search(ended["io"].text)
    assert "50 calls, 0 wrong, memory as it was" in ended["stranger"].text


def test_a_device_is_reset_when_its_cluster_is_killed(clusters: Start) -> None:
    """By the firmware: the next kernel finds it not started, before it has reset anything itself."""
    ended = clusters(lent("manycore", cmdline="killed=1") | {"kills": [{"cluster": "io", "at": "5ms"}]})
    assert ended.kernel.text == "cluster 0: killed\n"
    assert "begun, 0 wrong" in ended["io"].text and RIGHT.search(ended["io"].text)


@pytest.mark.parametrize("name", ALSO_32)
def test_a_driver_that_lies_in_each_request_harms_nobody_and_its_next_life_finds_the_card_as_new(
    running: Callable[..., Any], name: str
) -> None:
    """Another driver beside it in the same cluster loses no ping, and a neighbouring cluster computes on after each life."""
    liar = CARD | {"program": "build:liar.elf", "arguments": ["liar", "500"], "restart": ["fault"], "cores": [2]}
    domains = {"gateway": gateway("0", devices=["virtio-net-1"]), "liar": liar}
    with running(system(domains, name, neighbour=COMPUTES), icount=False) as board:
        for _ in range(LIVES):
            says(board, "io", "liar: answered")
            says(board, "io", "liar: 500 lies")
            says(board, "neighbour", "checksum: round=")
        says(board, "io", r"gateway: (\d+) of \1 pings answered, 0 rings lost")
        assert "not used" not in board["io"].text


def test_a_cluster_that_is_killed_while_its_device_works_begins_with_a_device_that_is_as_new(clusters: Start) -> None:
    kills = [{"cluster": "io", "at": at} for at in ("8ms", "17ms", "26ms")]
    ended = clusters(system({"gateway": gateway("100", "1")}) | {"kills": kills})
    assert ended.kernel.text.count("cluster 0: killed") == len(kills)
    assert ended["io"].text.count("gateway: 10.0.2.2 is at 52:55") > 1
    assert "gateway: 100 of 100 pings answered, 0 rings lost" in ended["io"].text


@pytest.mark.parametrize("name", PAGES)
def test_a_cluster_serves_its_page_while_four_others_compute(running: Callable[..., Any], name: str) -> None:
    """systems/web-manycore.yaml: lwIP's httpd in one process, the card's driver in another one. The four say how far they are, also after the page."""
    ports = Ports(1)
    web = safe_load((paths.ROOT / "systems" / f"{name}.yaml").read_text(encoding="utf-8"))
    web["clusters"]["compute"] |= COMPUTES
    with running(web, icount=False, network=lambda: f"hostfwd=tcp:127.0.0.1:{ports.first}-:80") as board:
        said(board, "io", "web: serves")
        text = page(ports.first)
        for number in range(4):
            says(board, f"compute{number}", "checksum: round=")
    assert re.search(rf"<tr><td>kernel<td>\d+ on {PAGES[name]}", text)
    assert re.search(r"<tr><td>card<td>process<td>running", text)


@pytest.mark.full
def test_a_browser_shows_the_page_of_a_cluster(running: Callable[..., Any], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    ports, browser = Ports(1), browsers.fetched()
    web = safe_load((paths.ROOT / "systems" / "web-manycore.yaml").read_text(encoding="utf-8"))
    with running(web, icount=False, network=lambda: f"hostfwd=tcp:127.0.0.1:{ports.first}-:80") as board:
        said(board, "io", "web: serves")
        page(ports.first)  # it has its address
        browsers.shows(browser, tmp_path / "browser", ports.first, logs_of(request.node) / "page.png")


@pytest.mark.parametrize("name", ALSO_32)
def test_files_on_a_disk_of_a_cluster_are_there_at_the_next_boot(running: Callable[..., Any], tmp_path: Path, name: str) -> None:
    try:
        littlefs.source(paths.CACHE, lambda _text: None)
    except NotFetchedError as error:
        pytest.skip(str(error))
    disk = {"kind": "process", "program": "build:disk-boots.elf", "arguments": ["boots", "0"], "memory": "512K", "cores": [1], "threads": 1}
    for starts in (1, 2):
        with running(system({"boots": disk | {"devices": ["virtio-blk-0"]}}, name), icount=False, disks=[tmp_path / "disk.img"]) as board:
            said(board, "io", rf"boots: {starts}, number \d+")
