# SPDX-License-Identifier: MIT
"""The page of a running board in a browser (docs/network.md): what Chromium has made of it, and how it looks. The picture stays beside the test's logs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from amalgam import paths
from amalgam.artifacts import chromium
from amalgam.board.console import SCALE
from amalgam.measure.drawing import pyplot

WIDTH, HEIGHT = 1000, 900
PATIENCE_S = 180 * SCALE  # of the browser for a page: its first start reads 220 MB
DOMAINS = ("card", "web", "work")
Rows = list[list[str]]


def fetched() -> Path:
    """The browser, before a board runs: the first time takes minutes."""
    return chromium.folder(paths.CACHE, lambda _text: None)


def look(browser: Path, state: Path, port: int, *words: str) -> str:
    """What the browser prints that opens a page of a port of the host."""
    command = [*chromium.command(browser, state), *words, f"http://127.0.0.1:{port}/"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tables(dom: str) -> dict[str, Rows]:
    """The rows of each table by the heading before it, with the cells that the browser has closed; those of its head are the first."""
    found = re.findall(r"<h[12]>([^<]*)</h[12]><table>(.*?)</table>", dom, re.DOTALL)
    rows = {title: re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL) for title, body in found}
    return {title: [re.findall(r"<t[dh]>([^<]*)</t[dh]>", row) for row in of] for title, of in rows.items()}


def served(dom: str) -> int:
    return next(int(row[1]) for row in tables(dom)["Amalgam"] if row[0] == "pages served")


def shows(browser: Path, state: Path, port: int, picture: Path) -> None:
    """Each domain has a row of its own with a cell a column, and who looks again sees a later page. On the picture there are lines to be read."""
    first, again = (look(browser, state, port, "--dump-dom") for _ in range(2))
    names, *rows = tables(first)["Domains"]
    assert names[:3] == ["name", "kind", "state"]
    assert [len(row) for row in rows] == [len(names)] * len(rows)
    assert [row[:3] for row in rows] == [[name, "process", "running"] for name in DOMAINS]
    assert [row[0] for row in tables(first)["Channels"]] == ["name", "frames"]
    assert served(again) > served(first)
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.unlink(missing_ok=True)  # an earlier run's
    look(browser, state, port, f"--screenshot={picture}", f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars")
    pixels = pyplot().imread(picture)[..., :3]
    assert pixels.shape[:2] == (HEIGHT, WIDTH)
    assert ((pixels.min(axis=2) < 0.5).sum(axis=1) > 20).sum() > 100  # rows of pixels that have letters
