# SPDX-License-Identifier: MIT
"""Our own 405 guests on the bare board, where a test wants only what they print."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

from amalgam import artifacts
from amalgam.board.console import SCALE


def guest_elf(name: str) -> Path:
    """build/guests/ppc405/NAME.elf, up to date."""
    artifacts.make_guests(lambda _text: None, "ppc405")
    return artifacts.guests_folder("ppc405") / f"{name}.elf"


COUNTED = ("-icount", "shift=0,sleep=off")  # time is instructions: what waits for a timer does not wait for the host


def native(name: str, arguments: str = "", timeout: float = 60, extra: tuple[str, ...] = ()) -> str:
    """What a guest prints on the bare board, to its end."""
    command = [*artifacts.ppc405_emulator(), "-M", "ref405ep", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command += ["-no-reboot", "-kernel", str(guest_elf(name)), "-append", arguments, *extra]
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout * SCALE, errors="replace", check=True
    )
    return done.stdout.replace("\r", "")


NEAR = 30  # letters of a line that may change places with the next one's


def passed(text: str, checks: tuple[str, ...]) -> bool:
    """Has a Linux that two cores run in turn said that all checks are well (guests/linux40x/check.c)? By their letters: the cores' bytes are
    put together as they come from two emulators, so where the guest changed between them some change places, also with the line before."""
    end = text.rindex("init: check ended")
    said = text[max(text.rindex(" is up", 0, end) - NEAR, 0) : end]
    return not Counter("".join(f"check:{name}ok" for name in (*checks, "all"))) - Counter(said)
