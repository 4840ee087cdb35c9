# SPDX-License-Identifier: MIT
"""Each deviation of the emulated board that the kernel works around is still there: when one is gone, so can its workaround."""

from __future__ import annotations

import re
import signal
import subprocess

import pytest
from amalgam import artifacts
from amalgam.board.console import SCALE
from guests405 import COUNTED, guest_elf, native

pytestmark = [pytest.mark.beside, pytest.mark.usefixtures("one_board")]

# As kernel/board/ref405ep and docs/shadow-tlb.md name them
HERE = [
    "zpr",
    "tlblo-first",
    "tlbre-attributes",
    "itlb-dear",
    "srr23",
    "usprg0",
    "reservation",
    "no-register",
    "no-memory",
    "uic-vector",
    "pit-acknowledge",
    "pit-one",
    "pit-status",
    "rfi-wait",
    "fit",
    "watchdog",
]


def test_every_quirk_is_still_there() -> None:
    text = native("quirks", extra=COUNTED)  # the timers' questions look at what has happened after 10 ms
    found = dict(re.findall(r"^quirk (\S+) (here|gone)$", text, re.MULTILINE))
    assert "quirks: done" in text
    assert {name for name, answer in found.items() if answer == "here"} == set(HERE), "a quirk came or went: see quirks.h"


@pytest.mark.parametrize(("question", "last_words"), [(1, "TLB size 1024 < 4096"), (2, "Little-endian TLB entries")])
def test_a_tlb_entry_that_it_cannot_show_ends_the_emulator(question: int, last_words: str) -> None:
    command = [*artifacts.ppc405_emulator(), "-M", "ref405ep", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command += ["-no-reboot", "-kernel", str(guest_elf("quirks")), "-append", f"fatal={question}"]
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60 * SCALE, errors="replace", check=False
    )
    assert f"quirk fatal {question}" in done.stdout
    assert done.returncode != 0
    assert last_words in done.stderr


# vrlqmi, vrlq, vrlqnm, xxspltw, xxspltib: a guest that executes one ends its core's emulator, whatever is below it
@pytest.mark.parametrize("word", [0x11084005, 0x11084045, 0x11084145, 0xF1084290, 0xF0000AD1])
def test_words_that_end_the_emulator_in_any_mode(word: int) -> None:
    command = [*artifacts.ppc405_emulator(), "-M", "ref405ep", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command += ["-no-reboot", "-kernel", str(guest_elf("quirks")), "-append", f"fatal=3 word={word:#x}"]
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60 * SCALE, errors="replace", check=False
    )
    assert done.returncode == -signal.SIGABRT, done.stdout
    assert "Raised an exception without defined vector" in done.stderr
