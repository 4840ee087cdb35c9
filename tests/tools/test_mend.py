# SPDX-License-Identifier: MIT
"""The instructions that are mended in an emulator: found where they are, nowhere else, and changed before anything runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from amalgam import proc
from amalgam.artifacts import qemu10
from amalgam.board import lifetime
from amalgam.board.lifetime import end, spawn
from amalgam.board.machine import PACKAGE, PROGRAM
from amalgam.emulator import mend


@pytest.fixture
def emulator() -> Path:
    """The machine's own: a copy in the cache (AMALGAM_QEMU) was mended there."""
    own = qemu10.machines_own(PROGRAM)
    return Path(own or proc.need(PROGRAM, PACKAGE)).resolve()


def text_at(pid: int, program: Path, spot: mend.Spot) -> bytes:
    where = mend.address(pid, program, spot.offset)
    assert where
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        return os.pread(memory.fileno(), len(spot.old), where)


IGNNE, VIRQ = mend.FAULTS


@pytest.mark.parametrize(
    ("fault", "plain", "atomic"),
    [(IGNNE, "81a0641400007fffffff", "f080a0641400007f6690"), (VIRQ, "818b28edffff00010000", "f0808b29edffff016690")],
    ids=["and", "or"],
)
def test_an_instruction_keeps_its_length_operand_and_meaning(fault: mend.Fault, plain: str, atomic: str) -> None:
    match = fault.plain().search(bytes.fromhex("90" + plain + "c3"))
    assert match and fault.atomic(match) == bytes.fromhex(atomic)
    assert len(atomic) == len(plain)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (IGNNE, "f081a0641400007fffffff"),
        (IGNNE, "81a4006414000000007fff"),
        (IGNNE, "8188641400007fffffff"),
        (IGNNE, "81a0641400007effffff"),
        (VIRQ, "f0818b28edffff00010000"),
        (VIRQ, "81a328edffff00010000"),
        (VIRQ, "818b28edffff00020000"),
    ],
)
def test_what_only_looks_like_it_is_left_alone(fault: mend.Fault, code: str) -> None:
    assert not fault.plain().search(bytes.fromhex(code))


def test_other_programs_have_none(tmp_path: Path) -> None:
    damaged = tmp_path / PROGRAM
    damaged.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(200))
    for path in (Path(sys.executable).resolve(), damaged, tmp_path, tmp_path / "none"):
        assert mend.find(path) == ()


def test_an_emulator_is_mended_when_it_is_started(emulator: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spots = mend.find(emulator)
    assert len(spots) == len(mend.FAULTS), "the emulator here is not the one of Debian 12: see tools/amalgam/emulator/mend.py"
    words = [str(emulator), "-M", "none", "-S", "-display", "none", "-nodefaults"]
    process = spawn(words, stdin=subprocess.DEVNULL)
    try:
        assert all(text_at(process.pid, emulator, spot) == spot.new for spot in spots)
        assert not mend.mend(process.pid)  # a second time there is nothing to do
    finally:
        end(process)
    monkeypatch.setattr(lifetime, "mend", lambda _pid: 0)
    process = spawn(words, stdin=subprocess.DEVNULL)
    try:
        assert all(text_at(process.pid, emulator, spot) == spot.old for spot in spots)
    finally:
        end(process)
    assert not mend.mend(process.pid)  # it has ended


def test_a_refusal_by_linux_is_said_and_stops_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(_pid: int) -> int:
        raise PermissionError(1, "no")

    monkeypatch.setattr(lifetime, "mend", refuse)
    process = spawn(["true"])
    assert end(process) in (0, -15)
    assert "could not be mended" in capsys.readouterr().err
