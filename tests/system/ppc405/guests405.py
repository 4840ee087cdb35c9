# SPDX-License-Identifier: MIT
"""Our own 405 guests on the bare board, where a test wants only what they print."""

from __future__ import annotations

import subprocess
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


def passed(text: str, checks: tuple[str, ...]) -> bool:
    """Has a Linux that two cores run in turn said that all checks are well (guests/linux40x/check.c)? By their letters: the cores' bytes are
    put together as they come from two emulators, so where the guest changed between them some change places."""
    said = text[: text.rindex("init: check ended")].rpartition(" is up")[2]
    return sorted("".join(said.split())) == sorted("".join(f"check:{name}ok" for name in (*checks, "all")))
