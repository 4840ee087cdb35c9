# SPDX-License-Identifier: MIT
"""The lean kernel of a cluster: the paper's calls, without control console, DMA engine and the table of frames."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from amalgam import paths
from amalgam.build.kernel import build_kernel
from elftools.elf.elffile import ELFFile
from manycores import Start

pytestmark = pytest.mark.beside

KERNEL = "shape:cluster-lean"


def lean(name: str) -> dict[str, object]:
    """A system of bench/nanvix with the lean kernel."""
    system = yaml.safe_load((paths.BENCH / "nanvix" / f"{name}.yaml").read_text(encoding="utf-8"))
    assert system["kernel"] == "shape:cluster"
    return system | {"system": f"lean-{name}", "kernel": KERNEL}


@pytest.mark.parametrize(("name", "domain"), [("remote", "remote"), ("threads", "fork-join"), ("sync", "remote"), ("buffer", "buffer")])
def test_the_benchmarks_come_to_their_end_on_the_lean_kernel(clusters: Start, name: str, domain: str) -> None:
    """Remote calls, messages, pages and barriers of five and of sixteen clusters; threads; locks."""
    said = clusters(lean(name), timeout=300).consoles[0].text
    assert f"domain {domain}: done: exit status 0" in said


def test_the_calls_of_libnanvix_do_what_they_promise_on_the_lean_kernel(running) -> None:
    process = {"kind": "process", "program": "build:nanvix-clusters.elf", "arguments": ["clusters", "all"], "memory": "512K", "threads": 15}
    each = {"domains": {"program": process}}
    layout = {"io": {"kind": "io"} | each, "compute": {"count": 4} | each}
    with running({"system": "lean-calls", "board": "manycore", "kernel": KERNEL, "clusters": layout}) as board:
        for name in board.names:
            board[name].expect(r"^clusters: right", 120)


def test_a_fault_in_the_lean_kernel_is_shown_with_its_place(running, tmp_path: Path) -> None:
    """CONFIG_NO_SYMBOLS: there is no table of frames, so the registers are all there is."""
    kernel = tmp_path / "broken.elf"
    built = build_kernel("cluster-lean", lambda _text: None)
    data = bytearray(built.read_bytes())
    with built.open("rb") as file:
        elf = ELFFile(file)
        address = next(s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols() if s.name.partition(".")[0] == "keeper")
        at = next(elf.address_offsets(address))
    data[at : at + 2] = bytes(2)  # no instruction
    kernel.write_bytes(data)
    process = {"kind": "process", "program": "build:when.elf", "memory": "128K"}
    layout = {"io": {"kind": "io", "domains": {"when": process}}}
    with running({"system": "lean-broken", "board": "manycore", "kernel": str(kernel), "clusters": layout}) as board:
        board["io"].expect(r"^PANIC: illegal instruction\r*$", 20)
        board["io"].expect(rf"pc  0*{address:x}", 20)
