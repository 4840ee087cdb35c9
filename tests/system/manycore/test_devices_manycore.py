# SPDX-License-Identifier: MIT
"""Devices that the firmware has for a cluster, whose processes drive them (docs/devices.md). The gateway is the emulator itself, which answers at once."""

from __future__ import annotations

from typing import Any

import pytest
from manycores import Start

pytestmark = pytest.mark.beside

CARD = {"kind": "process", "memory": "128K", "cores": [1], "threads": 1, "devices": ["virtio-net-0"]}


def gateway(*words: str, **more: Any) -> dict[str, Any]:
    return CARD | {"program": "build:gateway.elf", "arguments": ["gateway", *words], "power": "board"} | more


def system(domains: dict[str, Any], **clusters: dict[str, Any]) -> dict[str, Any]:
    io = {"kind": "io", "harts": 4, "memory": "4M", "domains": domains}
    return {"system": "driven", "board": "manycore", "kernel": "shape:cluster-net", "clusters": {"io": io, **clusters}}


def test_a_process_of_a_cluster_pings_the_gateway_by_a_card_of_its_own(clusters: Start) -> None:
    said = clusters(system({"gateway": gateway("200")}, beside={"count": 2}))["io"].text
    assert "gateway: 200 of 200 pings answered, 0 rings lost" in said
    assert "domain gateway: done: exit status 0" in said
