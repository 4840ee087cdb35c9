# SPDX-License-Identifier: MIT
"""The first program of docs/shell.md: it is made as the page says, and runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import yaml
from amalgam import paths


def test_the_first_program_of_the_page_is_asked_for_and_answers(boot: Any) -> None:
    """As the page's lines make it, below build/first; but for the run itself."""
    page = (paths.ROOT / "docs/shell.md").read_text(encoding="utf-8")
    lines = next(block for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) if "--shell" in block)
    shutil.rmtree(paths.BUILD / "first", ignore_errors=True)
    done = subprocess.run(
        ["bash", "-e", "-c", re.sub(r"\./amalgam run .*", "", lines)], cwd=paths.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    made = yaml.safe_load((paths.BUILD / "first/shell.yaml").read_text(encoding="utf-8"))
    made["domains"]["files"]["files"] = str(paths.BUILD / "first/tree")
    with boot(made) as board:
        console = board["shell"]
        console.expect(r"\$ $")
        for line, said in (("hello", r"who are you\? $"), ("me", r"hello me\r?\n\$ $"), ("hello | wc", r"\| wc\r?\n")):
            console.send(line + "\n")
            console.expect(said)
        console.send("you\n")
        console.expect(r"you\r?\n1 5 23\r?\n\$ $")
        console.send("exit 3\n")
        board["kernel"].expect("domain shell: done: exit status 3")
