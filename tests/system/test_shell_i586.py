# SPDX-License-Identifier: MIT
"""The shell on Pentiums (systems/shell-i586.yaml); test_shell.py has what it does."""

from __future__ import annotations

import re
from typing import Any

import yaml
from amalgam import paths
from amalgam.board.shell import await_shell, run_command


def test_a_pentium_has_the_same_shell(boot: Any) -> None:
    made = yaml.safe_load((paths.SYSTEMS / "shell-i586.yaml").read_text(encoding="utf-8"))
    with boot(made) as running:
        await_shell(running["shell"], 60)
        running["shell"].send(f"sleep 0\necho {'0123456789' * 400} | wc\n")  # what nobody reads waits in the port
        running["shell"].expect(r"\n1 1 4001\r?\n", 60)
        line = "cat /bin/cat | cat | wc | grep -v nothing; echo one > /tmp/a; cat /tmp/* /none; sleep 100 & exit 3"
        text, status = run_command(running["shell"], line, 60)
        assert status == 3
        assert re.fullmatch(r"\d+ \d+ \d+\none\ncat: /none: No such file or directory\n\[\d+\]\n", text), text
