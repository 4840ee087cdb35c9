# SPDX-License-Identifier: MIT
"""`./amalgam trace` of a system of clusters: one timeline of all, and what they sent each other, for a program of which that is known."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.board.console import SCALE

pytestmark = pytest.mark.beside

ROUNDS, PAGE = 10, 4096
CLUSTERS = 5


def test_all_clusters_are_one_timeline_and_their_messages_a_picture(tmp_path: Path) -> None:
    """user/programs/neighbours.c: the first cluster talks to each of the others, which say nothing to each other."""
    target = tmp_path / "t.json"
    done = subprocess.run(
        [paths.ROOT / "amalgam", "trace", "manycore-talk", "--json", "-o", target],
        capture_output=True,
        text=True,
        timeout=300 * SCALE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    both = ROUNDS + 1  # a message; of the signals the first one
    words = ROUNDS - 1  # the other ones
    assert said["messages"] == [[0] + [both] * (CLUSTERS - 1)] + [[both] + [0] * (CLUSTERS - 1)] * (CLUSTERS - 1)
    assert said["signals"] == [[0] + [words] * (CLUSTERS - 1)] + [[words] + [0] * (CLUSTERS - 1)] * (CLUSTERS - 1)
    assert said["portal bytes"] == [0] + [ROUNDS * PAGE] * (CLUSTERS - 1)
    records = json.loads(target.read_text())["traceEvents"]
    assert {r["args"]["name"] for r in records if r["name"] == "process_name"} == {"io", "compute0", "compute1", "compute2", "compute3"}
    assert {(r["pid"], r["tid"]) for r in records if r["name"] == "awake"} == {(c, i) for c in range(CLUSTERS) for i in range(4)}
    sent = [r["name"] for r in records if r["name"].startswith("message to ")]
    assert len(sent) == 2 * both * (CLUSTERS - 1) and sent.count("message to io") == both * (CLUSTERS - 1)
    signals = [r["name"] for r in records if r["name"].startswith("signal to ")]
    assert len(signals) == 2 * words * (CLUSTERS - 1) and signals.count("signal to io") == words * (CLUSTERS - 1)
    ends = {kind: [r["id"] for r in records if r["ph"] == kind] for kind in "sf"}
    assert ends["s"] == ends["f"] and len(ends["s"]) > CLUSTERS
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
