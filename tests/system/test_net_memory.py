# SPDX-License-Identifier: MIT
"""What memory a program with a network stack needs, as docs/network.md has it."""

from __future__ import annotations

from typing import Any

from amalgam import paths
from support import said
from yaml import safe_load

CONNECTIONS = 16


def test_a_server_with_one_interface_and_16_connections_needs_512_kib(boot: Any) -> None:
    """All are open at the same time, and end when their client does; then the next life's come."""
    made = safe_load((paths.ROOT / "systems/net.yaml").read_text(encoding="utf-8"))
    made["domains"]["echo"] |= {"environment": {"NET": "0 10.0.1.1/24"}, "threads": 3, "memory": "512K"}
    made["domains"]["half"]["arguments"][-1] = str(CONNECTIONS)
    del made["domains"]["talk"]
    made["channels"] = made["channels"][1:]
    with boot(made) as board:
        said(board, "echo", "echo: serves")
        for _life in range(2):
            board["half"].expect(f"talk: {CONNECTIONS} connections are open", 60)
        said(board, "echo", r"echo: 31 connections")
