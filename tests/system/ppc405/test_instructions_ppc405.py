# SPDX-License-Identifier: MIT
"""Every privileged instruction does for a guest what it does on the bare board, register by register.

guests/ppc405/instructions prints one line a fact; both runs must print the same, but for the list in differences.yaml.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import Console

DIFFERENCES = paths.ROOT / "guests/ppc405/instructions/differences.yaml"


def facts(text: str) -> dict[str, list[str]]:
    """The words of each line, by its name; names that come again are numbered."""
    found: dict[str, list[str]] = {}
    for line in text.replace("\r", "").split("\n"):
        if line.startswith("T "):
            name, _, rest = line[2:].partition(": ")
            number = sum(key == name or key.startswith(f"{name} #") for key in found) if name in found else 0
            found[f"{name} #{number}" if number else name] = rest.split()
    return found


def differences() -> dict[str, tuple[str, str]]:
    return {line: (entry["native"], entry["guest"]) for entry in yaml.safe_load(DIFFERENCES.read_text()) for line in entry["lines"]}


def compare(bare: dict[str, list[str]], guest: dict[str, list[str]], known: dict[str, tuple[str, str]]) -> list[str]:
    """What is wrong, a sentence each."""
    wrong = [f"only the bare board says '{name}'" for name in bare.keys() - guest.keys()]
    wrong += [f"only the guest says '{name}'" for name in guest.keys() - bare.keys()]
    wrong += [f"'{name}' is no line of the test" for name in known.keys() - bare.keys()]
    for name in bare.keys() & guest.keys():
        seen = (
            " ".join(w for w in bare[name] if w not in guest[name]),
            " ".join(w for w in guest[name] if w not in bare[name]),
        )
        if seen != known.get(name, ("", "")):
            wrong.append(f"{name}: bare board '{seen[0]}', guest '{seen[1]}', known difference {known.get(name)}")
    return sorted(wrong)


def system(parts: str) -> dict[str, Any]:
    test = {"kernel": "build:instructions.elf", "memory": "16M", "cmdline": f"parts={parts}", "power": "board"}
    return {"system": "instructions", "board": "ref405ep", "domains": {"test": test}}


def printed(console: Console) -> str:
    """All that the program prints, to its end."""
    console.expect(r"# done", 120)
    return console.text


@pytest.fixture(scope="module")
def bare(native_module: Callable[..., Any]) -> dict[str, list[str]]:
    with native_module(system("0x7f")) as board:
        return facts(printed(board.console))


@pytest.fixture(scope="module")
def guest(fleet_module: Callable[..., Any]) -> dict[str, list[str]]:
    with fleet_module(system("0x7f")) as board:
        return facts(printed(board["test"]))


def test_the_bare_board_says_enough(bare: dict[str, list[str]]) -> None:
    assert len(bare) > 1400
    assert sum("vec=0700" in words for words in bare.values()) > 200, "problem mode was refused nothing"


def test_a_guest_sees_what_the_bare_board_does(bare: dict[str, list[str]], guest: dict[str, list[str]], fleet: Callable[..., Any]) -> None:
    wrong = compare(bare, guest, differences())
    if wrong:  # the kernel drops a byte of output rather than wait for a host that stalls: what is wrong twice is wrong
        with fleet(system("0x7f")) as board:
            again = facts(printed(board["test"]))
        wrong = sorted(set(wrong) & set(compare(bare, again, differences())))
    assert wrong == []


def test_a_changed_register_would_be_noticed(bare: dict[str, list[str]]) -> None:
    name = next(name for name, words in bare.items() if "r31=00000000" in words)
    changed = bare | {name: [w.replace("r31=00000000", "r31=00000004") for w in bare[name]]}
    assert compare(bare, changed, {}) == [f"{name}: bare board 'r31=00000000', guest 'r31=00000004', known difference None"]
    assert compare(bare, {n: w for n, w in bare.items() if n != name}, {}) == [f"only the bare board says '{name}'"]


def test_a_mixed_space_in_problem_mode_is_refused(fleet: Callable[..., Any], native: Callable[..., Any]) -> None:
    """What one hardware TLB entry cannot show ends the guest with that reason; it is never shown wrongly."""
    with fleet(system("0x80")) as board:
        board.kernel.expect(r"fault 00000003 00080000", 60)
        assert "# MSR 4010" in board["test"].text
        assert "mode load" not in board["test"].text
    with native(system("0x80")) as board:
        assert "mode load" in printed(board.console)
