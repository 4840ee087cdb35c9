# SPDX-License-Identifier: MIT
"""Debian packages, downloaded by apt and unpacked into the cache, never installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .error import ArtifactError
from .store import Log, publish


def _run(args, cwd=None) -> str:
    if shutil.which(args[0]) is None:
        raise ArtifactError(f"{args[0]} is missing: this step needs a Debian system (apt and dpkg)")
    done = subprocess.run(args, cwd=cwd, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise ArtifactError(f"`{' '.join(map(str, args))}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


_known: dict[str, tuple[str, list[str]]] = {}
_asked: set[str] = set()


def _told(text: str) -> tuple[str, list[str]]:
    fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", text, re.M))
    depends = [d.split("|")[0].split("(")[0].strip().split(":")[0] for d in fields.get("Depends", "").split(",")]
    return fields["Version"], [d for d in depends if d]


def ask(packages: Iterable[str]) -> None:
    """Many at once what `candidate` tells of each: a question takes apt as long as a hundred. Unknown ones stay unknown."""
    names = sorted(set(packages) - _known.keys() - _asked)
    _asked.update(names)
    if not names or shutil.which("apt-cache") is None:
        return
    done = subprocess.run(
        ["apt-cache", "show", "--no-all-versions", *names], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
    )
    for text in done.stdout.split("\n\n"):
        if found := re.search(r"^Package: (\S+)$", text, re.M):
            _known.setdefault(found[1], _told(text))


def candidate(package: str) -> tuple[str, list[str]]:
    """Version that apt would install, and the names it depends on (first of alternatives). Asked once a process: apt takes a second."""
    if package not in _known:
        try:
            _known[package] = _told(_run(["apt-cache", "show", "--no-all-versions", package]))
        except ArtifactError as error:
            raise ArtifactError(f"apt knows no package {package}; run `apt-get update` and try again ({error})") from None
    return _known[package]


def unpacked(cache: Path, package: str, log: Log) -> Path:
    """The package's file tree.  Without a usable apt, the newest one unpacked earlier."""
    home = Path(cache) / "packages"
    try:
        version, _ = candidate(package)
    except ArtifactError:
        earlier = sorted(home.glob(f"{package}_*"), key=lambda p: p.stat().st_mtime)
        if not earlier:
            raise
        log(f"{package}: apt cannot say what is current, using {earlier[-1].name} from the cache")
        return earlier[-1]

    def make(target: Path):
        log(f"fetching {package} {version}")
        # As root apt would warn that its sandbox user cannot write here; for others the option changes nothing.
        sandbox = ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
        _run(["apt-get", *sandbox, "download", f"{package}={version}"], cwd=target.parent)
        debs = list(target.parent.glob("*.deb"))
        if len(debs) != 1:
            raise ArtifactError(f"apt-get download {package} left {len(debs)} packages instead of one")
        _run(["dpkg", "-x", str(debs[0]), str(target)])

    return publish(home, f"{package}_{version.replace(':', '%3a')}", make)


def source(cache: Path, package: str, log: Log) -> Path:
    """The upstream archive of Debian's source package. Without a usable apt, the one fetched earlier.

    Most machines have no source entries: ours stand in a configuration of our own, made of the machine's entries for Debian.
    """
    home = Path(cache) / "sources" / package

    def archives(folder: Path) -> list[Path]:
        return sorted(folder.glob(f"{package}_*.orig.tar.*"))

    if home.is_dir() and archives(home):
        return archives(home)[-1]

    def make(target: Path):
        state = target.parent / "apt"
        for folder in ("lists/partial", "archives/partial"):
            (state / folder).mkdir(parents=True)
        targets = _run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian"])
        entries = sorted({tuple(line.split()) for line in targets.splitlines()})
        if not entries:
            raise ArtifactError("apt has no lists of Debian; run `apt-get update` and try again")
        keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
        signed = f"[signed-by={keyring}] " if keyring.exists() else ""
        (state / "sources.list").write_text("".join(f"deb-src {signed}{site} {release} {part}\n" for site, release, part in entries))
        options = [
            f"Dir::Etc::SourceList={state}/sources.list",
            "Dir::Etc::SourceParts=/dev/null",
            f"Dir::State::Lists={state}/lists",
            f"Dir::Cache={state}",
            "Acquire::Languages=none",
        ]
        options += ["APT::Sandbox::User=root"] if os.geteuid() == 0 else []
        words = ["apt-get", *(word for option in options for word in ("-o", option))]
        log(f"fetching the source of {package}")
        _run([*words, "update"])
        target.mkdir()
        _run([*words, "source", "--download-only", package], cwd=target)
        if not archives(target):
            raise ArtifactError(f"the source package {package} has no upstream archive")

    publish(home.parent, package, make)
    return archives(home)[-1]
