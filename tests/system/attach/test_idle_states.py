# SPDX-License-Identifier: MIT
"""However Linux idles on a CPU that it sets offline, a CPU that it gives becomes a core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.system.units import MIB
from cstates import table
from linuxhost import Host

pytestmark = pytest.mark.beside

PORT = 0x1234  # nothing answers there


def gives_and_takes(host: Host) -> None:
    host.ok("amalgam load; amalgam attach")
    for _ in range(3):
        host.ok("amalgam cpu give 2; amalgam cpu give 1")
        assert host.json("status")["cores"] == 2
        host.ok("amalgam cpu take 1; amalgam cpu take 2")
    assert host.ok("cat /sys/devices/system/cpu/online") == "0-2\n"
    host.ok("amalgam detach; amalgam unload")
    assert host.complaints() == []


@pytest.mark.parametrize(
    "append", ["", *(pytest.param(words, marks=pytest.mark.full) for words in ("idle=halt", "processor.max_cstate=1"))]
)
def test_with_an_idle_state_by_a_port(boot_linux: Any, tmp_path: Path, append: str) -> None:
    """ACPI C2, as most AMD machines have it."""
    path = tmp_path / "cstates.aml"
    path.write_bytes(table(3, PORT))
    with boot_linux(cores=3, memory=512 * MIB, accel="tcg,thread=single", append=append, extra=["-acpitable", f"file={path}"]) as host:
        names = host.ok("cat /sys/devices/system/cpu/cpu2/cpuidle/state*/desc 2>/dev/null || true")
        assert (f"IOPORT {PORT:#x}" in names) == (not append), names
        gives_and_takes(host)
