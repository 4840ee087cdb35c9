# SPDX-License-Identifier: MIT
"""Shared virtual memory on an SCC: Jacobi's iteration over several kernels is what one core computes alone, to the bit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.scc import CORES, KERNEL
from amalgam.build.kernel import build_kernel
from jacobi_on_pages import ITERATIONS, solved, sums
from support import said

LITMUS = {"system": "svm-litmus", "board": "scc", "domains": {"litmus": {"kind": "task", "task": "svm-litmus", "cores": [0]}}}


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.mark.parametrize("cores", [(0,), (0, 1, 2, 3), (0, 5, 12, 17, 30, 31, 47)], ids=["one", "neighbours", "scattered"])
def test_jacobi_is_equal_to_the_bit(boot: Any, cores: tuple[int, ...]) -> None:
    with boot("svm", icount=True, chosen=cores) as board:
        if len(cores) > 1:
            solved(board, cores)
        else:
            for model in ("strong", "lazy"):
                said(board, "jacobi", rf"jacobi {model}: {ITERATIONS} iterations on 1 cores: 0 words differ .*; sums {sums()}")
        said(board, "kernel", "^domain jacobi: done")


def test_messages_and_a_lock_without_a_barrier(boot: Any) -> None:
    with boot(LITMUS, icount=True, chosen=(0, 9, 46, 47)) as board:
        for rank, core in enumerate((0, 9, 46, 47)):
            source, tag = ("kernel", rf"core {core}: ") if core else ("litmus", "")
            said(board, source, rf"{tag}litmus: rank {rank}: 0 words wrong in 20 messages; counted 40 of 40, by twins 40")


@pytest.mark.full
def test_jacobi_on_48_cores(boot: Any, full: bool) -> None:
    with boot("svm", icount=True) as board:
        solved(board, tuple(range(CORES)))


@pytest.mark.full
def test_jacobi_on_48_cores_that_run_at_once(boot: Any, full: bool) -> None:
    with boot("svm") as board:
        for model in ("strong", "lazy"):
            line = rf"jacobi {model}: {ITERATIONS} iterations on {CORES} cores: 0 words differ .*; sums {sums()}"
            assert re.search(line, said(board, "jacobi", line, 600)[0])


def patched(folder: Path, kernel: Path, code: bytes) -> Path:
    """The image of a kernel that runs this code when another core asks it for something for the first time."""
    symbols = subprocess.run(["i686-linux-gnu-nm", kernel], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^(\w+) \w svm_serve$", symbols, re.MULTILINE)
    assert found
    image = bytearray(kernel.with_name("amalgam.bin").read_bytes())
    at = int(found[1], 16) - KERNEL
    image[at : at + len(code)] = code
    path = folder / "patched.bin"
    path.write_bytes(image)
    return path


def dying(folder: Path, kernel: Path) -> Path:
    """It stops."""
    return patched(folder, kernel, b"\xfa\xf4\xeb\xfd")  # cli; hlt; back to the hlt


def test_a_dead_owner_is_an_error_and_no_hang(boot: Any, scc: Path, tmp_path: Path) -> None:
    """Core 3 dies with the first page that it is asked for. Who asked gets a fault, all others an error."""
    with boot("svm", icount=True, chosen=(0, 1, 2, 3), other={3: dying(tmp_path, scc)}) as board:
        said(board, "kernel", r"core 2: .*svm: page \d+ \(owner core 3\): its owner does not answer")
        said(board, "kernel", r"core 2: .*domain jacobi: fault: page fault")
        said(board, "jacobi", r"^jacobi: error -110")
        said(board, "kernel", r"core 1: .*jacobi: error -110")
        said(board, "kernel", "^domain jacobi: done")
