# SPDX-License-Identifier: MIT
"""Network cards of an emulated PC, for the processes that drive them: each on a network of its own, made by the emulator, in which
10.0.2.2 is the host."""

from __future__ import annotations

FIRST_SLOT = 4  # of the PCI bus; the next cards are in the next slots, so each has an interrupt line of its own


def words(n: int, network: str = "") -> list[str]:
    """The emulator's words for `n` cards. `network`: more words for the first one's network, such as 'hostfwd=tcp:127.0.0.1:8080-:80'."""
    found = []
    for i in range(n):
        more = f",{network}" if network and not i else ""
        found += ["-netdev", f"user,id=net{i}{more}", "-device", f"rtl8139,netdev=net{i},addr={FIRST_SLOT + i:#x},romfile="]
    return found
