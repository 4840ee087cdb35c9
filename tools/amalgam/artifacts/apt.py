# SPDX-License-Identifier: MIT
"""Debian packages, downloaded by apt and unpacked into the cache, never installed.

`MACHINE` is the machine's own apt. `debian12()` is for what later releases do not have any more, `debian13()`
for what earlier ones do not have yet: the same archive, one release of it.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from amalgam.building import building
from amalgam.host.packages import debian_release

from .error import ArtifactError
from .store import Log, publish

DAY_S = 24 * 3600


def _run(args, cwd=None) -> str:
    if shutil.which(args[0]) is None:
        raise ArtifactError(f"{args[0]} is missing: this step needs a Debian system (apt and dpkg)")
    done = subprocess.run(args, cwd=cwd, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise ArtifactError(f"`{' '.join(map(str, args))}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def _told(text: str) -> tuple[str, list[str]]:
    fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", text, re.M))
    if "Version" not in fields:  # a virtual package: apt-cache succeeds and says nothing
        raise ArtifactError("it has no version: other packages provide it")
    depends = [d.split("|")[0].split("(")[0].strip().split(":")[0] for d in fields.get("Depends", "").split(",")]
    return fields["Version"], [d for d in depends if d]


class Apt:
    """One set of package lists, and what was asked of it: apt takes a second for an answer."""

    def __init__(self, options: Sequence[str] = ()):
        # As root apt would warn that its sandbox user cannot write into the cache; for others the option changes nothing.
        sandbox = ["APT::Sandbox::User=root"] if os.geteuid() == 0 else []
        self.options = [word for option in [*options, *sandbox] for word in ("-o", option)]
        self._known: dict[str, tuple[str, list[str]]] = {}
        self._asked: set[str] = set()

    def _show(self, *names: str) -> list[str]:
        return ["apt-cache", *self.options, "show", "--no-all-versions", *names]

    def ask(self, packages: Iterable[str]) -> None:
        """Ask for many packages at once what `candidate` tells of each: one question takes apt as long as a hundred. Unknown ones stay unknown."""
        names = sorted(set(packages) - self._known.keys() - self._asked)
        self._asked.update(names)
        if not names or shutil.which("apt-cache") is None:
            return
        done = subprocess.run(self._show(*names), capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        for text in done.stdout.split("\n\n"):
            if found := re.search(r"^Package: (\S+)$", text, re.M):
                self._known.setdefault(found[1], _told(text))

    def candidate(self, package: str) -> tuple[str, list[str]]:
        """Version that apt would install, and the names it depends on (first of alternatives). Asked once a process."""
        if package not in self._known:
            try:
                self._known[package] = _told(_run(self._show(package)))
            except ArtifactError as error:
                raise ArtifactError(f"apt knows no package {package}; run `apt-get update` and try again ({error})") from None
        return self._known[package]

    def unpacked(self, cache: Path, package: str, log: Log) -> Path:
        """The package's file tree.  Without a usable apt, the newest one unpacked earlier."""
        home = Path(cache) / "packages"
        try:
            version, _ = self.candidate(package)
        except ArtifactError:
            earlier = sorted(home.glob(f"{package}_*"), key=lambda p: p.stat().st_mtime)
            if not earlier:
                raise
            log(f"{package}: apt cannot say what is current, using {earlier[-1].name} from the cache")
            return earlier[-1]

        def make(target: Path):
            log(f"fetching {package} {version}")
            _run(["apt-get", *self.options, "download", f"{package}={version}"], cwd=target.parent)
            debs = list(target.parent.glob("*.deb"))
            if len(debs) != 1:
                raise ArtifactError(f"apt-get download {package} left {len(debs)} packages instead of one")
            _run(["dpkg", "-x", str(debs[0]), str(target)])

        return publish(home, f"{package}_{version.replace(':', '%3a')}", make)


def merged(tree: Path, path: str) -> Path:
    """`path` in a package's file tree; newer releases have in usr/ what stood beside it."""
    return tree / path if (tree / path).exists() else tree / "usr" / path


MACHINE = Apt()
ask, candidate, unpacked = MACHINE.ask, MACHINE.candidate, MACHINE.unpacked


@building()
def _lists(state: Path, kind: str, entries: Iterable[tuple[str, ...]]) -> Apt:
    """An apt with package lists of its own below `state`, fetched when they are older than a day.

    `kind` is deb or deb-src, an entry is (site, release, component).
    """
    for folder in ("lists/partial", "archives/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    signed = f"[signed-by={keyring}] " if keyring.exists() else ""
    (state / "sources.list").write_text("".join(f"{kind} {signed}{' '.join(entry)}\n" for entry in entries))
    apt = Apt(
        [
            f"Dir::Etc::SourceList={state}/sources.list",
            "Dir::Etc::SourceParts=/dev/null",
            f"Dir::State::Lists={state}/lists",
            f"Dir::State::Status={state}/status",  # what the machine has installed is no candidate here
            f"Dir::Cache={state}",
            "Acquire::Languages=none",
        ]
    )
    fetched = state / "fetched"
    if not fetched.exists() or time.time() - fetched.stat().st_mtime > DAY_S:
        _run(["apt-get", *apt.options, "update"])
        fetched.touch()
    return apt


def _debian_entries() -> list[tuple[str, ...]]:
    """What of Debian the machine's apt reads: (site, release, component)."""
    told = _run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian"])
    entries = sorted({tuple(line.split()) for line in told.splitlines()})
    if not entries:
        raise ArtifactError("apt has no lists of Debian; run `apt-get update` and try again")
    return entries


def debian12(cache: Path) -> Apt:
    """The packages of Debian 12: the machine's own apt on it, else lists of our own in the cache, from the site that the machine uses."""
    return _release(Path(cache).resolve(), 12)


def debian13(cache: Path) -> Apt:
    """The same of Debian 13."""
    return _release(Path(cache).resolve(), 13)


RELEASES = {12: "bookworm", 13: "trixie"}


@functools.cache
def _release(cache: Path, number: int) -> Apt:
    if max(debian_release(), min(RELEASES)) == number:
        return MACHINE
    entries = _debian_entries()
    site = next((site for site, release, _part in entries if "-security" not in release), entries[0][0])
    return _lists(cache / f"apt-debian{number}", "deb", [(site, RELEASES[number], "main")])


def source(cache: Path, package: str, log: Log) -> Path:
    """The upstream archive of Debian's source package. Without a usable apt, the one fetched earlier.

    Most machines have no source entries: ours stand in a configuration of our own, made of the machine's entries for Debian.
    """
    home = Path(cache) / "sources" / package

    def archives(folder: Path) -> list[Path]:
        return sorted(p for p in folder.glob(f"{package}_*.orig.tar.*") if p.suffix != ".asc")  # a signature

    if home.is_dir() and archives(home):
        return archives(home)[-1]

    def make(target: Path):
        log(f"fetching the source of {package}")
        apt = _lists(target.parent / "apt", "deb-src", _debian_entries())
        target.mkdir()
        _run(["apt-get", *apt.options, "source", "--download-only", package], cwd=target)
        if not archives(target):
            raise ArtifactError(f"the source package {package} has no upstream archive")

    publish(home.parent, package, make)
    return archives(home)[-1]


def pinned_source(cache: Path, package: str, sha256: str, log: Log) -> Path:
    """The same, of which one is meant: another one is refused."""
    archive = source(cache, package, log)
    if (found := hashlib.sha256(archive.read_bytes()).hexdigest()) != sha256:
        raise ArtifactError(f"{archive.name} is not the one that this was written for: its SHA-256 is {found}")
    return archive
