# SPDX-License-Identifier: MIT
"""Transfers of many pages by the DMA engines of clusters: whole, beside each other, and when somebody dies in the middle of one."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam.build.kernel import build_kernel
from amalgam.measure import coherence
from amalgam.system.compile import checked
from manycores import BOARDS, KERNELS, Start

pytestmark = pytest.mark.beside
each_board = pytest.mark.parametrize("board", BOARDS)


@pytest.fixture(autouse=True, scope="module")
def kernels() -> None:
    for kernel in KERNELS.values():
        build_kernel(kernel.removeprefix("shape:"), lambda _text: None)


def process(name: str, *arguments: object, memory: str = "1280K", **more: object) -> dict[str, Any]:
    words = [name, *map(str, arguments)]
    return {"kind": "process", "program": f"build:{name}.elf", "arguments": words, "memory": memory, "threads": 2, **more}


def cluster(dma: bool = True, **processes: dict[str, Any]) -> dict[str, Any]:
    return {"harts": 4, "memory": "4M", "dma": dma, "domains": processes}


def system(board: str, name: str, *clusters: dict[str, Any], **more: object) -> dict[str, Any]:
    """The first cluster is the one for I/O."""
    kinds = {f"c{i}": ({"kind": "io"} if i == 0 else {}) | cluster for i, cluster in enumerate(clusters)}
    return {"system": name, "board": board, "kernel": KERNELS[board], "clusters": kinds, **more}


RIGHT = r"^{} rounds with cluster {}: every byte was right"


@each_board
@pytest.mark.parametrize("engines", [(True, True), (True, False), (False, True)], ids=["both", "only-0", "only-1"])
def test_up_to_a_mib_goes_both_ways_whole(clusters: Start, board: str, engines: tuple[bool, bool]) -> None:
    """Sizes and addresses at the edges of pages; and where only one end has an engine."""
    first = cluster(engines[0], p=process("portals", 1, 1, power="board"))
    second = cluster(engines[1], p=process("portals", 0, 1))
    done = clusters(system(board, "mib", first, second, outbox="128K"), timeout=120)
    said = re.search(RIGHT.format(1, 1) + r", (\d+) transfers by the engine", done.consoles[0].text, re.MULTILINE)
    assert said and int(said[1]) == (20 if engines[0] else 0)


@pytest.mark.parametrize("policy", ["everything", "ranges"])
def test_caches_that_are_not_coherent_have_no_transfer_by_the_engine(clusters: Start, policy: str) -> None:
    layout = system("manycore", "mib", cluster(p=process("portals", 1, 1, power="board")), cluster(p=process("portals", 0, 1)))
    build_kernel(f"cluster-{policy}", lambda _text: None)
    done = clusters(layout | {"kernel": f"shape:cluster-{policy}"}, timeout=120)
    assert "1 rounds with cluster 1: every byte was right, 0 transfers by the engine" in done.consoles[0].text


@each_board
def test_transfers_to_different_clusters_at_once_are_whole(running, board: str) -> None:
    first = cluster(a=process("portals", 1, 4, 100_000, 0), b=process("portals", 2, 4, 70_000, 1))
    first["domains"]["a"]["cores"], first["domains"]["b"]["cores"] = [1], [2]
    partners = [cluster(p=process("portals", 0, 4, size, port)) for size, port in ((100_000, 0), (70_000, 1))]
    with running(system(board, "three", first | {"memory": "8M"}, *partners)) as started:
        started["c1"].expect(RIGHT.format(4, 0), 120)
        started["c2"].expect(RIGHT.format(4, 0), 120)
        found = {started["c0"].expect(r"4 rounds with cluster ([12]): every byte was right", 60)[1] for _ in range(2)}
    assert found == {"1", "2"}


@each_board
@pytest.mark.parametrize(("dies", "stays"), [("write", "read"), ("read", "write")])
def test_a_process_that_dies_in_a_transfer_harms_nobody(running, board: str, dies: str, stays: str) -> None:
    """Again and again; it starts again in the same memory. The other end gets whole pages all the time, in one transfer those of one life,
    and a reader is told of each end that it meets. The program says in the fault's address whether a life ended in a transfer."""
    rounds = 60
    dying = cluster(p=process("transfers", dies, 0, 1_000_000, 700, memory="512K", restart=["fault"]))
    with running(system(board, f"{dies}-dies", cluster(p=process("transfers", stays, 1, rounds, memory="512K")), dying)) as started:
        right = rf"^{stays}: {rounds} rounds were right, the end of a writer was told (\d+) times, (\d+) of them in its data"
        said = started["c0"].expect(rf"{right}|.*WRONG", 120)
        assert said[1], said[0]
        text = started["c1"].text
    told, cut = int(said[1]), int(said[2])
    ends = re.findall(r"process p: thread 1: store page fault at .*, address (\d+)", text)
    assert len(ends) > 2 and "8" in ends and set(ends) <= {"0", "8"}, text[-2000:]
    assert (told > 2, cut > 2) == (dies == "write", dies == "write")
    assert "PANIC" not in text and "WRONG" not in text


@each_board
def test_pages_that_are_unmapped_in_a_transfer_are_kept_until_its_end(running, board: str) -> None:
    first, second = process("transfers", "unmap", 1, memory="768K"), process("transfers", "late", 0, 1, memory="768K")
    with running(system(board, "unmap", cluster(p=first), cluster(p=second))) as started:
        started["c1"].expect(r"^late: 1 rounds were right", 60)
        started["c0"].expect(r"^unmap: all pages came back", 60)


@each_board
def test_a_cluster_killed_in_a_transfer_is_an_error_for_its_partner_and_nothing_for_others(running, full: bool, board: str) -> None:
    """c3 is c2's partner: c2 gets an error or has finished, in a bounded time. c0 and c1 do not notice."""
    chance, ends = random.Random(17), set()
    for _ in range(200 if full else 6 if board == "manycore" else 3):
        kills = [{"cluster": "c3", "at": f"{chance.randrange(20_000, 300_000) / 10}us"}]
        pairs = [cluster(p=process("portals", peer, 3, 200_000)) for peer in (1, 0, 3, 2)]
        with running(system(board, "killed", *pairs, kills=kills, patience="100ms")) as started:
            started["c0"].expect(RIGHT.format(3, 1), 120)
            ends.add(started["c2"].expect(r"domain p: done: exit status ([01])", 120)[1])
            assert "PANIC" not in "".join(started[name].text for name in started.names)
    assert "1" in ends, "no kill met the two at work"


@pytest.mark.parametrize("uncached", [True, False], ids=["past-the-caches", "through-a-cache"])
def test_the_network_needs_no_coherence_of_an_engine_that_passes_the_caches_by(running, tmp_path: Path, uncached: bool) -> None:
    """Under the coherence checker. Harts 0 and 1 are the masters, with the programs on their cores; 2 and 3 are the engines. The other
    way round shows that the checker looks."""
    pairs = [cluster(p=process("portals", peer, 1, 100_000, power="board" if peer else "domain")) | {"harts": 2} for peer in (1, 0)]
    work = system("manycore", "uncached", *pairs)
    path, out = tmp_path / "placed.yaml", tmp_path / "coherence"
    path.write_text(yaml.safe_dump(work, sort_keys=False), encoding="utf-8")
    placed = checked(path, True, lambda _text: None)
    behind = placed.noc + placed.noc_size  # the clusters' own memory, in which words are coherent
    words = [f"nc={placed.noc:x}:{behind:x}", f"flag={behind:x}:{placed.end:x}", *["uncached=2:3"] * uncached]
    with running(work, coherence.options(out, *words)) as board:
        assert board.wait(120) == 0, board.kernel.tail()
        assert "every byte was right" in board.consoles[0].text
    found = coherence.read(out)
    assert found.accesses > 10_000
    if uncached:
        assert not found.reports, found.reports[:3]
    else:
        assert {"unflushed", "stale"} & set(found.kinds())
