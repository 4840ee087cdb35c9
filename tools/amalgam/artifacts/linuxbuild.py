# SPDX-License-Identifier: MIT
"""Building from packed sources of Debian, Linux above all: unpacking, configuring, and make that says how far it is."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import apt
from .error import ArtifactError
from .store import Log

SOURCE = "linux-source-6.1"
BUSYBOX_STEPS = 260  # lines that make prints


def make(folder: Path, what: str, log: Log, steps: int, target: Sequence[str], *words: str):
    """Run make for a `target` (ARCH=, CROSS_COMPILE=), showing now and then how far it is of about `steps` lines; a failure shows the last ones."""
    command = ["make", f"-j{os.cpu_count() or 1}", "-C", str(folder), *target, *words]
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    env |= {"LC_ALL": "C", "KBUILD_BUILD_TIMESTAMP": "2026-01-01", "KBUILD_BUILD_USER": "amalgam", "KBUILD_BUILD_HOST": "amalgam"}
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace", env=env
    ) as made:
        assert made.stdout
        for line in made.stdout:
            lines.append(line)
            if steps and len(lines) % (steps // 10) == 0:
                log(f"{what}: {min(99, 100 * len(lines) // steps)} %")
    if made.returncode:
        raise ArtifactError(f"{what} failed:\n{''.join(lines[-25:])}")


def need(program: str, package: str):
    if shutil.which(program) is None:
        raise ArtifactError(f"{program} is missing: run `./amalgam setup` (it is in {package})")


def options(config: Path) -> Iterator[str]:
    return (line for line in config.read_text().splitlines() if line.startswith("CONFIG_"))


def configured(folder: Path, config: Path) -> None:
    """Every option that we ask for must be in the result: Kconfig drops what it does not know without a word."""
    got = set((folder / ".config").read_text().splitlines())
    lost = [line for line in options(config) if line not in got]
    if lost:
        raise ArtifactError(f"{config.name}: the configuration lost {', '.join(lost)}")


def unpack(archive: Path, into: Path, *excluded: str):
    into.mkdir()
    done = subprocess.run(["tar", "-xf", archive, "-C", into, "--strip-components=1", *excluded], capture_output=True, text=True)
    if done.returncode:
        raise ArtifactError(f"cannot unpack {archive.name}: {done.stderr.strip()}")


def kernel_source(cache: Path, log: Log) -> Path:
    """The packed source: installed, or fetched into the cache. Linux 6.12, which later releases have, has no 40x any more."""
    name = f"usr/src/{SOURCE}.tar.xz"
    installed = Path("/") / name
    return installed if installed.is_file() else apt.debian12(cache).unpacked(cache, SOURCE, log) / name


def build_busybox(target: Path, archive: Path, config: Path, machine: Sequence[str], what: str, log: Log) -> None:
    """Make a static busybox of `config` over allnoconfig, for the `machine` (ARCH=, CROSS_COMPILE=, CC=), from its packed source."""
    tree = target.parent / "source"
    unpack(archive, tree)
    make(tree, "configuring busybox", log, 0, machine, "allnoconfig")
    wanted = {line.partition("=")[0]: line for line in options(config)}
    kept = [
        line for line in (tree / ".config").read_text().splitlines() if line.split("=")[0].removeprefix("# ").split(" ")[0] not in wanted
    ]
    (tree / ".config").write_text("\n".join([*kept, *wanted.values()]) + "\n")
    make(tree, "configuring busybox", log, 0, machine, "silentoldconfig", "KCONFIG_NOTIMESTAMP=1")
    configured(tree, config)
    make(tree, f"building {what} (once)", log, BUSYBOX_STEPS, machine, "busybox")
    (tree / "busybox").replace(target)
