# SPDX-License-Identifier: MIT
"""Two builds of the same sources give the same bytes, and so does one of sources from which an option that is not chosen was taken out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.build.kernel import build_kernel
from amalgam.system.compile import compile_system, locate
from elftools.elf.elffile import ELFFile

KEEP = ("kernel", "firmware", "tools", "config", "boards", "guests", "systems", "amalgam", "Makefile")


def copy_to(place: Path) -> Path:
    for name in KEEP:
        source = paths.ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, place / name)
    return place


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, at another place."""
    return copy_to(tmp_path_factory.mktemp("copied"))


def build(place: Path, what: str) -> None:
    """`./amalgam build` there, in this environment and with what this one has fetched."""
    environment = os.environ | {"AMALGAM_VENV": sys.prefix, "AMALGAM_CACHE": str(paths.CACHE), "PYTHONPATH": ""}
    subprocess.run([place / "amalgam", "build", what], check=True, timeout=300 * SCALE, env=environment)


def test_two_builds_of_the_kernel_are_identical(kernel: Path, copied: Path) -> None:
    """The second one at another place, from nothing."""
    build(copied, "pc")
    assert (copied / kernel.relative_to(paths.ROOT)).read_bytes() == kernel.read_bytes()


def test_two_builds_of_a_system_are_identical(copied: Path) -> None:
    """The second one with guests that are built at another place, from nothing."""
    _, image = compile_system(locate("boot-kinds"), lambda _text: None)
    build(copied, "boot-kinds")
    assert (copied / image.relative_to(paths.ROOT)).read_bytes() == image.read_bytes()


# --- all remote (CONFIG_CLUSTER_REMOTE_ALL) -----------------------------------------------------------------------------------------

OPTION, MACRO = "CLUSTER_REMOTE_ALL", "REMOTE_ALL"
OWN = ("cluster/remote.c", "cluster/semaphore.c", "api/remote.yaml")
OUTSIDE = {  # what it needs in files of others and that no line with its macro holds
    "cluster/request.c": r"s64 request_run_long\(.*?\n}\n",
    "cluster/request.h": r"s64 request_run_long\(.*?;\n",
    "cluster/master.c": r"bool remote_due;\n",
    "cluster/Kconfig": rf"config {OPTION}\n.*?(?=\nconfig )",
    "api/process.yaml": r"    remote: true\n",
}


def without_lines(text: str) -> str:
    """C without what the macro selects. Lines keep their numbers."""
    lines, kept = [], [True]  # for each #if around a line: whether it is kept; the macro's own are told by `own`
    own = [False]
    for line in text.split("\n"):
        word = line.lstrip("# ") if line.lstrip().startswith("#") else ""
        if word.startswith("if"):
            own.append(bool(re.fullmatch(rf"(if|ifndef) {MACRO}", word)))
            kept.append(kept[-1] and not own[-1])
        elif word.startswith("else") and own[-1]:
            kept[-1] = not kept[-1]
        hidden = not kept[-1] or (own[-1] and word.startswith(("else", "endif")))
        if word.startswith("endif"):
            own.pop()
            kept.pop()
        lines.append("" if hidden else re.sub(rf"\b{MACRO}\b", "0", line))
    return "\n".join(lines)


def take_out(kernel: Path) -> int:
    """Take the option out of the sources. Returns how many files had some of it."""
    for name in OWN:
        (kernel / name).unlink()
    changed = len(OWN)
    for path in (p for p in kernel.rglob("*") if p.is_file() and "generated" not in p.parts):
        before = text = path.read_text(encoding="utf-8")
        name = path.relative_to(kernel).as_posix()
        if name in OUTSIDE:
            text, n = re.subn(OUTSIDE[name], lambda cut: "\n" * cut[0].count("\n"), text, flags=re.DOTALL)
            assert n, name
        if path.name == "files.mk":
            text = re.sub(rf"^.*{OPTION}.*\n", "", text, flags=re.MULTILINE)
        elif path.suffix in (".c", ".h", ".S"):
            text = without_lines(text)
        path.write_text(text, encoding="utf-8")
        changed += text != before
    return changed


def loaded(elf: Path) -> list[tuple[int, int, int, bytes]]:
    """Of each segment: address, rights, size in memory, content."""
    with elf.open("rb") as file:
        segments = [s for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]
        return [(s["p_vaddr"], s["p_flags"], s["p_memsz"], s.data()) for s in segments]


@pytest.mark.parametrize("shape", ["cluster", pytest.param("cluster32", marks=pytest.mark.full)])
def test_a_kernel_without_all_remote_has_nothing_of_it(tmp_path: Path, shape: str) -> None:
    """What is loaded is the same to the byte, whether or not the sources have it."""
    made = build_kernel(shape, lambda _text: None)
    copy_to(tmp_path)
    assert take_out(tmp_path / "kernel") >= len(OWN) + len(OUTSIDE)
    build(tmp_path, shape)
    assert loaded(tmp_path / made.relative_to(paths.ROOT)) == loaded(made)
