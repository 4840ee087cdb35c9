# SPDX-License-Identifier: MIT
"""`./amalgam trace` of a system of clusters: one timeline of all, and what they sent each other, for programs of which that is known."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.console import SCALE

pytestmark = [pytest.mark.beside, pytest.mark.usefixtures("one_board")]

ROUNDS, PAGE = 10, 4096
CLUSTERS = 5


def traced(system: str, target: Path) -> dict[str, Any]:
    done = subprocess.run(
        [paths.ROOT / "amalgam", "trace", system, "--json", "-o", target],
        capture_output=True,
        text=True,
        timeout=300 * SCALE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_all_clusters_are_one_timeline_and_their_messages_a_picture(tmp_path: Path) -> None:
    """user/programs/neighbours.c: the first cluster talks to each of the others, which say nothing to each other."""
    target = tmp_path / "t.json"
    said = traced("manycore-talk", target)
    both = ROUNDS + 1  # a message; of the signals the first one
    words = ROUNDS - 1  # the other ones
    assert said["messages"] == [[0] + [both] * (CLUSTERS - 1)] + [[both] + [0] * (CLUSTERS - 1)] * (CLUSTERS - 1)
    assert said["signals"] == [[0] + [words] * (CLUSTERS - 1)] + [[words] + [0] * (CLUSTERS - 1)] * (CLUSTERS - 1)
    assert said["portal bytes"] == [0] + [ROUNDS * PAGE] * (CLUSTERS - 1)
    assert said["programs"] == ["io: leader", *(f"compute{i}: worker" for i in range(CLUSTERS - 1))]
    assert not said["requests"] and sum(map(sum, said["between programs"])) == sum(map(sum, said["messages"])) - 2 * (CLUSTERS - 1)
    records = json.loads(target.read_text())["traceEvents"]
    assert {r["args"]["name"] for r in records if r["name"] == "process_name"} == {"io", "compute0", "compute1", "compute2", "compute3"}
    assert {(r["pid"], r["tid"]) for r in records if r["name"] == "awake"} == {(c, i) for c in range(CLUSTERS) for i in range(4)}
    sent = [r["name"] for r in records if r["name"].startswith("message to ")]
    assert len(sent) == 2 * both * (CLUSTERS - 1) and sent.count("message to io") == both * (CLUSTERS - 1)
    signals = [r["name"] for r in records if r["name"].startswith("signal to ")]
    assert len(signals) == 2 * words * (CLUSTERS - 1) and signals.count("signal to io") == words * (CLUSTERS - 1)
    ends = {kind: [r["id"] for r in records if r["ph"] == kind and r["cat"] == "ring"] for kind in "sf"}
    assert ends["s"] == ends["f"] and len(ends["s"]) > CLUSTERS
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


ASKING = 3
NAMED = ["leader", "name", "memory", "file", "process"]


def test_servers_are_in_the_timeline_and_the_picture_by_their_names(tmp_path: Path) -> None:
    """user/programs/nanvix/services.c: of each server's part each cluster's program asks the same, and a page is written by 43 messages
    (docs/servers.md)."""
    target = tmp_path / "s.json"
    said = traced("manycore-servers", target)
    asks = [f"compute{i}: asks" for i in range(ASKING)]
    assert said["programs"] == [*(f"io: {name}" for name in NAMED), *asks]
    between = {
        (one, other): count
        for one, row in zip(said["programs"], said["between programs"], strict=True)
        for other, count in zip(said["programs"], row, strict=True)
        if count
    }
    assert sum(between.values()) == sum(map(sum, said["messages"]))
    found = {(r["server"], r["of"]): r for r in said["requests"]}
    for one in asks:
        assert between[one, "io: leader"] == 1
        for server in ("io: name", "io: memory", "io: file", "io: process"):
            asked = found[server, one]
            assert asked["messages"] == between[one, server] and asked["answered"] == between[server, one] > 0 < asked["median"]
        assert (found["io: memory", one]["messages"], found["io: memory", one]["answered"]) == (3 + 43, 4)
    records = json.loads(target.read_text())["traceEvents"]
    lanes = {(r["pid"], r["tid"]): r["args"]["name"] for r in records if r["name"] == "thread_name"}
    assert {"core 2, name", "name, server", "memory, server", "file, server", "process, server"} <= set(lanes.values())
    bars = [(lanes[r["pid"], r["tid"]], r["name"]) for r in records if r.get("cat") == "request" and r["ph"] == "X"]
    assert bars.count(("memory, server", f"for {asks[0]}")) == 4 and bars.count(("asks, asks", "asks io: memory")) == 4 * ASKING
    ends = {kind: [r["id"] for r in records if r["ph"] == kind and r["cat"] == "request"] for kind in "sf"}
    assert ends["s"] == ends["f"] and 2 * len(ends["s"]) == len(bars) == 2 * sum(r["answered"] for r in said["requests"])
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
