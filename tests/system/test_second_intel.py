# SPDX-License-Identifier: MIT
"""Processors with VT-x, as Bochs models them: the kernel that looks for it runs a small guest where all is there,
and names what is missing."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.build.kernel import build_kernel
from amalgam.commands import iso
from second import EMULATOR, MAKERS, SLOW, need
from support import said

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:prefixed.elf", "memory": "16M", "devices": [{"type": "uart"}]}
SYSTEM = {"system": "second-intel", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}
THERE = "VT-x has what guests need and ran one of nine instructions"
PARTS = {
    "corei7_skylake_x": THERE,
    "corei5_lynnfield_750": "VT-x is without unrestricted guest",
    "core2_penryn_t9600": "VT-x is without EPT",
    "ryzen": "this processor has AMD-V and no VT-x: it needs the kernel of the shape pc",
}


@pytest.mark.parametrize("cpu", PARTS)
def test_what_a_processors_vt_x_lacks_for_guests_is_said_at_boot(boot: Any, cpu: str) -> None:
    kernel = build_kernel("pc-intel", lambda _text: None)
    with boot(SYSTEM, emulator="bochs", cpu=cpu, kernel=kernel, **SLOW["bochs"]) as board:
        said(board, "kernel", rf"^vmx: {PARTS[cpu]}\r*$")
        said(board, "kernel", r"boot: \d+ KiB of initialization text freed")


HELLO = GUEST | {"kernel": "build:hello.elf", "memory": "32M"}
CPUS = {"ryzen": ("AuthenticAMD", "loaded by"), "corei7_skylake_x": ("GenuineIntel", THERE)}


@pytest.fixture(scope="module", params=[None, "q35-both"], ids=["two-kernels", "one-kernel"])
def both(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A CD image that `iso` has made of a system for the board q35, as it is and for the board whose kernel is for both makers."""
    path = tmp_path_factory.mktemp("both") / "second-both.yaml"
    path.write_text(yaml.safe_dump(SYSTEM | {"system": "second-both", "domains": {"guest": HELLO}}), encoding="utf-8")
    assert iso.run(argparse.Namespace(system=str(path), board=request.param)) == 0
    made = paths.BUILD / "iso" / "second-both.iso"
    found = subprocess.run(["xorriso", "-indev", made, "-find", "/boot", "-name", "*.elf"], capture_output=True, text=True, check=True)
    kernels = ["amalgam.elf"] if request.param else ["amalgam.elf", "pc-intel.elf", "pc.elf"]
    assert sorted(Path(line.strip("'")).name for line in found.stdout.splitlines()) == kernels
    return made


@pytest.mark.parametrize("cpu", CPUS)
def test_one_cd_image_boots_the_kernel_for_its_processors_maker(boot: Any, both: Path, cpu: str) -> None:
    maker, words = CPUS[cpu]
    with boot(SYSTEM, emulator="bochs", cpu=cpu, iso=both, **SLOW["bochs"]) as board:
        said(board, "kernel", words)
        said(board, "guest", rf"hello: cpu {maker}")


@pytest.mark.parametrize("board", MAKERS)
def test_run_boots_the_cd_image_of_a_system_with_processes_on_the_board_of_either_maker(
    tmp_path: Path, one_board: None, board: str
) -> None:
    """`run --board`: each kernel that the image has finds its system in it. The run ends with the process' status."""
    need(EMULATOR[board])
    (tmp_path / "main.c").write_text('#include <stdio.h>\nint main(void) { puts("from a CD image"); return 5; }\n', encoding="utf-8")
    amalgam = paths.ROOT / "amalgam"
    subprocess.run([amalgam, "cc", tmp_path / "main.c", "-o", tmp_path / "program"], check=True)
    program = {"kind": "process", "program": "program", "memory": "64K", "power": "board"}
    path = tmp_path / "both-run.yaml"
    path.write_text(yaml.safe_dump(SYSTEM | {"system": "both-run", "domains": {"a": program}}), encoding="utf-8")
    assert iso.run(argparse.Namespace(system=str(path), board=None)) == 0  # both kernels are there: the time is the board's
    words = [amalgam, "run", path, "--board", board]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300 * SCALE, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "from a CD image" in done.stdout and "loaded by multiboot2" in done.stdout
    assert (THERE in done.stdout) == (board == "bochs-intel")
