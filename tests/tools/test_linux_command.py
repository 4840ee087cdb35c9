# SPDX-License-Identifier: MIT
"""The command `amalgam` and the module, as far as they need no device: words, sizes, where an answer goes, what is kept of the output."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from amalgam.attach.build import SOURCE


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("command")
    subprocess.run(["make", "-s", "-C", SOURCE, f"OUT={made}", "command"], check=True, timeout=600)
    return made / "amalgam"


@pytest.mark.parametrize("size", ["", "-1", "1.5G", "1T", "64 M", "65536G", "17179869183G", "18446744073709551615"])
def test_what_is_no_size_is_refused(command: Path, size: str) -> None:
    """A sum of sizes never overflows: what is too large for any machine is none."""
    for words in (["memory", "give", size], ["load", "--heap", size], ["domain", "create", "image", "--extra", size]):
        done = subprocess.run([command, *words], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and "next: amalgam --help" in done.stderr, (words, done)


@pytest.mark.parametrize("cpus", ["", "2-1", "1,", "two", "-1", "4294967297", "18446744073709551617"])
def test_what_is_no_list_of_cpus_is_refused(command: Path, cpus: str) -> None:
    """A number that was cut would name another CPU."""
    done = subprocess.run([command, "domain", "create", "image", "--cpus", cpus], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "is no list of CPUs, such as 2,3 or 4-7" in done.stderr, done


def test_an_answer_that_a_full_disk_does_not_take_is_a_failure(command: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([command, "help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("amalgam: error: writing the answer: No space left on device")


def test_without_an_output_nobody_misses_the_answer(command: Path) -> None:
    assert subprocess.run(["sh", "-c", f"{command} help >&-"], timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "status", "error", "following"),
    [
        ([], 2, "which command?", "amalgam --help"),
        (["fly"], 2, "no command 'fly'", "amalgam --help"),
        (["cpu", "give"], 2, "cpu: give N or take N", "amalgam --help"),
        (["domain", "create", "none", "--cpus", "x"], 2, "domain create: 'x' is no list of CPUs, such as 2,3 or 4-7", "amalgam --help"),
        (["domain", "create", 'no"ne'], 1, 'no"ne: No such file or directory', "./amalgam build SYSTEM makes one: build/systems/NAME.img"),
    ],
)
def test_a_failure_is_json_for_who_asked_for_json(command: Path, words: list[str], status: int, error: str, following: str) -> None:
    done = subprocess.run([command, "--json", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status
    assert json.loads(done.stdout) == {"status": status, "errors": [{"error": error, "next": following}]}


SHOW = """
#include <stdio.h>
#include "command.h"
int main(int n, char **word)
{
    char piece[64], shown[4 * sizeof(piece)];
    u8 held = 0;
    for (size_t got; (got = fread(piece, 1, (size_t)atoi(word[1]), stdin));)
        fwrite(shown, 1, show_text(&held, piece, got, shown), stdout);
    return 0;
}
"""


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """show_text() of the command as a filter of its own, which takes so many bytes at once."""
    home = tmp_path_factory.mktemp("show")
    (home / "show.c").write_text("#include <stdlib.h>\n" + SHOW, encoding="utf-8")
    flags = ["-fsanitize=address,undefined", "-I", SOURCE / "command", "-I", SOURCE / "amalgam", "-I", SOURCE.parent / "kernel/api"]
    subprocess.run(["gcc", *flags, "-o", home / "show", home / "show.c", SOURCE / "command/say.c"], check=True)
    return home / "show"


@pytest.mark.parametrize(
    ("said_by_a_domain", "shown"),
    [
        (b"one\r\ntwo\tthree\n", b"one\ntwo\tthree\n"),
        (b"\x1b[2J\x1b]0;root@host\x07\x7f", b"^[[2J^[]0;root@host^G^?"),
        (b"right\rwrong\r\r\n", b"right^Mwrong^M\n"),
        ("sch\u00f6n \u20ac \u00a0\u009b2J".encode(), "sch\u00f6n \u20ac \u00a0M-^[2J".encode()),
        (b"\xc2\xc2\x9b\x00", b"\xc2M-^[^@"),
    ],
)
def test_what_a_domain_says_does_nothing_to_a_terminal(show: Path, said_by_a_domain: bytes, shown: bytes) -> None:
    for at_once in ("1", "2", "64"):
        done = subprocess.run([show, at_once], input=said_by_a_domain, capture_output=True, check=True)
        assert done.stdout == shown


KEEP = """
#include <stdio.h>
#include <stdlib.h>
#include "kept.h"
static struct kept_position p;
static void read_all(size_t room)
{
    u8 got[64];
    for (size_t n; kept_has_news(&p) && (n = kept_next(&p, got, room));)
        fwrite(got, 1, n, stdout);
}
int main(int n, char **word)
{
    size_t room = (size_t)atoi(word[1]), look = (size_t)atoi(word[2]), at = 0;
    kept_start(malloc(KEPT_MEMORY));
    kept_seek(&p, false);
    for (int c; (c = getchar()) != EOF; kept_add((u8)c))
        if (look && at++ % look == 0)
            read_all(room);
    if (!look)
        kept_seek(&p, true);
    read_all(room);
    return 0;
}
"""
TYPES = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef uint8_t u8;
typedef uint64_t u64;
"""
KERNEL, GUEST = 0xFE, 3


@pytest.fixture(scope="module")
def keep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kept.c of the module: `keep ROOM LOOK` reads ROOM bytes at once, every LOOK bytes of its input, or (0) all at its end."""
    home = tmp_path_factory.mktemp("keep")
    (home / "linux").mkdir()
    (home / "linux/types.h").write_text(TYPES, encoding="utf-8")
    (home / "keep.c").write_text(KEEP, encoding="utf-8")
    flags = ["-g", "-fsanitize=address,undefined", "-I", home, "-I", SOURCE / "amalgam"]
    subprocess.run(["gcc", *flags, "-o", home / "keep", home / "keep.c", SOURCE / "amalgam/kept.c"], check=True)
    return home / "keep"


def tagged(*said: tuple[int, bytes]) -> bytes:
    return b"".join(bytes([0xFF, source]) + text.replace(b"\xff", b"\xff\xff") for source, text in said)


def untagged(stream: bytes) -> dict[int, bytes]:
    """What each source has said."""
    found: dict[int, bytes] = {}
    source, escape = -1, False
    for byte in stream:
        if not escape and byte == 0xFF:
            escape = True
        elif escape and byte != 0xFF:
            source, escape = byte, False
        else:
            found[source] = found.get(source, b"") + bytes([byte])
            escape = False
    return found


def kept(keep: Path, room: int, look: int, *said: tuple[int, bytes]) -> dict[int, bytes]:
    done = subprocess.run([keep, str(room), str(look)], input=tagged(*said), capture_output=True, check=True, timeout=120)
    return untagged(done.stdout)


@pytest.mark.parametrize("room", [4, 5, 64])
def test_a_loud_domain_does_not_push_out_what_the_kernel_has_said(keep: Path, room: int) -> None:
    own = [f"line {i} of the kernel \u00ff\n".encode("latin-1") for i in range(100)]
    said = [(source, text) for line in own for source, text in ((KERNEL, line), (GUEST, b"noise\xff\n" * 1000))]
    got = kept(keep, room, 0, *said)
    assert got[KERNEL] == b"".join(own)
    assert 250_000 < sum(len(text) + text.count(b"\xff") for text in got.values()) < 270_000
    assert got[GUEST] in b"noise\xff\n" * 50_000
    assert len(kept(keep, room, 0, (KERNEL, b"k" * 900_000))[KERNEL]) > 300_000  # its own are bounded, too


@pytest.mark.parametrize("look", [1, 1000, 100_000])
def test_who_reads_in_time_gets_each_byte_once(keep: Path, look: int) -> None:
    said = [(source, bytes([65 + i % 26]) * 700 + b"\xff") for i in range(300) for source in (KERNEL, GUEST)]
    got = kept(keep, 64, look, *said)
    for source in (KERNEL, GUEST):
        assert got[source] == b"".join(text for who, text in said if who == source)


def test_who_reads_too_late_misses_nothing_of_the_kernel(keep: Path) -> None:
    said = [(source, f"{i} ".encode() * (3 if source == KERNEL else 300)) for i in range(2000) for source in (KERNEL, GUEST)]
    got = kept(keep, 64, 500_000, *said)
    assert got[KERNEL] == b"".join(text for who, text in said if who == KERNEL)
