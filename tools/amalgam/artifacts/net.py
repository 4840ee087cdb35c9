# SPDX-License-Identifier: MIT
"""What programs with sockets are made with: the tree of processes' programs (process.py) with lwIP, from Debian's source, and user/net/ in it."""

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from amalgam import paths

from . import apt, picolibc, process
from .error import ArtifactError
from .machines import MACHINES, USUAL, Machine
from .store import Log, key, publish, recipe

NET = process.USER / "net"
PROGRAMS = NET / "programs"
PACKAGE = "lwip"
# Upstream's archive of lwIP 2.1.3, as Debian has it: another one is refused.
PINNED = "0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24"
# Of its src/.
LWIP = (
    *(f"core/{name}.c" for name in ("def", "dns", "inet_chksum", "init", "ip", "mem", "memp", "netif", "pbuf", "raw", "sys", "tcp")),
    *(f"core/{name}.c" for name in ("tcp_in", "tcp_out", "timeouts", "udp", "stats")),
    *(f"core/ipv4/{name}.c" for name in ("dhcp", "etharp", "icmp", "ip4", "ip4_addr", "ip4_frag")),
    *(f"core/ipv6/{name}.c" for name in ("ethip6", "icmp6", "inet6", "ip6", "ip6_addr", "ip6_frag", "mld6", "nd6")),
    *(f"api/{name}.c" for name in ("api_lib", "api_msg", "err", "if_api", "netbuf", "netdb", "netifapi", "sockets", "tcpip")),
    "netif/ethernet.c",
    "apps/http/fs.c",
    "apps/http/httpd.c",
)
# lwIP is compiled for speed; its warnings are its own. Its httpd has names that user/files has.
FOREIGN = ("-std=gnu17", "-O2", "-w", *(f"-D{name}=lwip_{name}" for name in ("fs_open", "fs_close", "fs_read", "fs_bytes_left")))


def source(cache: Path, log: Log) -> Path:
    """lwIP's src/, unpacked."""
    archive = apt.pinned_source(cache, PACKAGE, PINNED, log)

    def make(target: Path) -> None:
        with tarfile.open(archive) as packed:
            packed.extractall(target, filter="data")

    tree = publish(Path(cache), f"lwip-{PINNED[:16]}", make)
    return next(path for path in sorted(tree.rglob("src")) if (path / "core").is_dir())


def include_words(lwip: Path) -> list[str]:
    """Ours first: some headers stand in place of lwIP's."""
    return ["-I", str(NET / "port"), "-I", str(lwip / "include")]


def own_files() -> list[Path]:
    return sorted(path for path in NET.rglob("*") if path.suffix in (".c", ".h") and PROGRAMS not in path.parents)


def compile_all(files: list[tuple[Path, tuple[str, ...]]], made: Path, gcc: list[str], machine: Machine) -> None:
    """One archive of files, each with its own words."""
    made.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        objects = []
        for file, words in files:
            objects.append(Path(work) / f"{file.stem}.o")
            assert objects.count(objects[-1]) == 1, f"{file} would take the place of another one's object"
            done = subprocess.run([*gcc, *words, "-c", "-o", objects[-1], file], capture_output=True, text=True)
            if done.returncode:
                raise ArtifactError(f"{file.name} does not compile:\n{done.stderr}")
        subprocess.run([machine.tool("ar"), "crsD", made, *objects], check=True)


def toolchain(cache: Path, log: Log, machine: Machine = USUAL) -> Path:
    """The tree, with the headers of sockets in headers/, lib/liblwip.a and lib/libnet.a."""
    base, lwip = process.toolchain(cache, log, machine), source(cache, log)
    own = own_files()
    headers = [path for folder in ("headers", "include") for path in sorted((process.USER / folder).rglob("*.h"))]

    def words(tree: Path) -> list[str]:
        return [
            machine.tool("gcc"),
            "-isystem",
            str(NET / "include"),
            *process.compile_words(tree, machine),
            process.FRAMES,
            *include_words(lwip),
        ]

    def make_lwip(target: Path) -> None:
        log(f"building lwIP for {machine.title} (once, some twenty seconds)")
        target.mkdir()
        compile_all([(lwip / name, FOREIGN) for name in LWIP], target / "liblwip.a", words(base), machine)

    def make(target: Path) -> None:
        log("compiling user/net/")
        shutil.copytree(base, target)
        shutil.copytree(NET / "include", target / "headers", dirs_exist_ok=True)
        shutil.copy(archive / "liblwip.a", target / "lib")
        compile_all([(path, (*process.OWN, "-O2")) for path in own if path.suffix == ".c"], target / "lib/libnet.a", words(base), machine)

    what = (picolibc.build(cache, log, machine).name, picolibc.compiler(machine), PINNED)
    archive = publish(
        Path(cache),
        f"lwip-{machine.name}-{key(recipe(__file__), *what, *headers, *(path for path in own if path.suffix == '.h'))}",
        make_lwip,
    )
    return publish(Path(cache), f"net-{machine.name}-{key(recipe(__file__), base.name, archive.name, *own)}", make)


def build_for_host(cache: Path, made: Path, command: list[str]) -> None:
    """For tests: made/liblwip.a, of lwIP without its httpd by the host's compiler, and made/lwip-include, its headers."""
    lwip = source(cache, print)
    shutil.rmtree(made / "lwip-include", ignore_errors=True)
    shutil.copytree(lwip / "include", made / "lwip-include")
    gcc = [*command, "-I", str(NET / "port"), "-I", str(NET / "include"), "-I", str(lwip / "include")]
    files = [(lwip / name, FOREIGN) for name in LWIP if not name.startswith("apps/")]
    compile_all(files, made / "liblwip.a", gcc, MACHINES["x86_64"])


if __name__ == "__main__":
    build_for_host(paths.CACHE, Path(sys.argv[1]), sys.argv[2:])
