# SPDX-License-Identifier: MIT
"""Page capabilities between clusters (user/servers/caps, docs/servers.md): granted, copied, sent back, and revoked from whoever has a copy."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS

pytestmark = pytest.mark.beside

KERNELS = {"manycore": "shape:cluster-pages", "manycore32": "shape:cluster32-pages"}


def process(*words: str, core: int, **more: Any) -> dict[str, Any]:
    return program("remotecaps", *words, core=core, **more)


def program(name: str, *words: str, core: int, **more: Any) -> dict[str, Any]:
    made = {"kind": "process", "program": f"build:{name}.elf", "arguments": [name, *words], "memory": "128K"}
    return made | {"cores": [core], "threads": 1} | more


def forged(role: str) -> dict[str, Any]:
    """A cluster without a page server, and with one who says what none does."""
    return {"harts": 3, "domains": {role: program("forgedcaps", role, core=2)}}


def served(name: str, client: dict[str, Any]) -> dict[str, Any]:
    """A cluster with a page server and a client of it."""
    caps = {"kind": "process", "program": "build:server-caps.elf", "arguments": ["caps", "1"], "memory": "256K", "cores": [1], "threads": 2}
    return {"harts": 3, "channels": [{"name": "c", "between": ["caps", name], "size": "4K"}], "domains": {"caps": caps, name: client}}


def system(board: str, rounds: int, granted: int, told: int, *others: dict[str, Any], quiet: bool = False, **more: Any) -> dict[str, Any]:
    """The home, which grants to the clusters from 1 to `granted`, of which the first two are holders; one of them never calls the kernel, but in
    a quiet system: a hart's turn is 100 million instructions then."""
    home = served("home", process("home", str(rounds), str(granted), str(told), core=2, power="board"))
    one, two = (served("holder", process("holder", *["calls"] * calls, core=2, restart=["fault"])) for calls in (quiet, True))
    clusters = {f"c{i}": cluster for i, cluster in enumerate((home | {"kind": "io"}, one, two, *others))}
    return {"system": "remote-caps", "board": board, "kernel": KERNELS[board], "clusters": clusters, **more}


@pytest.mark.parametrize("board", BOARDS)
def test_a_copy_of_another_cluster_is_gone_when_its_page_is_revoked(clusters, board: str) -> None:
    """Whatever its holder does, who never calls the kernel."""
    board_ = clusters(system(board, 1, 2, 2), timeout=200)
    said = {name: board_[name].text for name in board_.names}
    assert "remotecaps: right" in said["c0"]
    assert re.findall(r"round (\d): revoked, (\d) silent", said["c0"]) == [("1", "0")]
    for holder in ("c1", "c2"):
        assert re.findall(r"remotecaps: copy (\d)", said[holder]) == ["1"]
        assert re.search(r"domain holder: fault: thread 0: load page fault", said[holder])


def test_a_revocation_ends_with_the_loss_of_a_holder_and_nothing_that_is_forged_is_granted(clusters) -> None:
    """The next life of a holder cannot take it again. One answers with wrong numbers: it is killed while the first revocation waits for it, and silent in the second one, as is one that lives
    and reads nothing; who is silent stays so when it is asked again. A cluster that was granted nothing knows another one's words; one is a kernel that lies in every word of its outbox."""
    mute, deaf, rogue = (forged(role) for role in ("mute", "deaf", "rogue"))
    kills = [{"cluster": "c3", "at": "2000ms"}]
    board = clusters(system("manycore", 2, 4, 5, mute, deaf, rogue, quiet=True, kills=kills), timeout=300)
    said = {name: board[name].text for name in board.names}
    assert "remotecaps: right" in said["c0"]
    revoked = [(what, int(silent), int(ms)) for what, silent, ms in re.findall(r"round \d: ([a-z ]+), (\d) silent, (\d+) ms", said["c0"])]
    assert [(what, silent) for what, silent, _ in revoked] == [("revoked", 0), ("revoked", 2), ("asked again", 2)]
    assert 1500 <= revoked[0][2] < 3000 and all(4000 <= ms < 6000 for _, _, ms in revoked[1:])
    assert said["c5"].count("forgedcaps: nothing forged") == 2 and "WRONG" not in "".join(said.values())


def test_who_is_to_tell_others_and_lies_is_not_believed(clusters) -> None:
    """Of five clusters the first one is to tell the second one, and says that it has. So the home asks both itself, and the copy is gone."""
    home = served("home", process("home", "1", "5", "5", core=2, power="board")) | {"kind": "io"}
    holder = served("holder", process("holder", "calls", core=2, restart=["fault"]))
    names = {f"c{i}": cluster for i, cluster in enumerate((home, forged("liar"), holder, *[forged("liar")] * 3))}
    board = clusters({"system": "lying-caps", "board": "manycore", "kernel": KERNELS["manycore"], "clusters": names}, timeout=120)
    said = {name: board[name].text for name in board.names}
    assert "remotecaps: right" in said["c0"]
    [(silent, ms)] = re.findall(r"round 1: revoked, (\d) silent, (\d+) ms", said["c0"])
    assert silent == "0" and int(ms) >= 20  # it has waited for the others' proofs
    assert re.findall(r"forgedcaps: (.*?)\r?\n", said["c1"])[:2] == ["answers for 1 others", "asked by itself"]
    assert all("answers for 0 others" in said[c] and "by itself" not in said[c] for c in ("c3", "c4", "c5"))
    assert re.search(r"domain holder: fault: thread 0: load page fault", said["c2"])


def test_a_copy_is_gone_when_its_home_says_that_it_is_over(clusters) -> None:
    """At a question about it or about another one of the same page, though no revocation has come: the home's page server has begun anew."""
    stale = served("stale", process("stale", core=2, power="board")) | {"kind": "io"}
    board = clusters(
        {"system": "stale-caps", "board": "manycore", "kernel": KERNELS["manycore"], "clusters": {"c0": stale, "c1": forged("forgetful")}},
        timeout=120,
    )
    assert "remotecaps: right" in board["c0"].text
    assert "WRONG" not in board["c0"].text + board["c1"].text


def test_what_is_granted_to_the_next_life_of_a_cluster_is_good(clusters) -> None:
    """Though the page server has not heard that the life before was lost: it has said nothing to that cluster since."""
    host = served("host", process("host", core=2, power="board")) | {"kind": "io"}
    system = {"system": "reborn-caps", "board": "manycore", "kernel": KERNELS["manycore"], "clusters": {"c0": host, "c1": forged("guest")}}
    board = clusters(system | {"kills": [{"cluster": "c1", "at": "2000ms"}]}, timeout=60)
    assert "remotecaps: right" in board["c0"].text


@pytest.mark.parametrize("board", BOARDS)
def test_the_next_life_of_a_client_has_its_own_requests_carried_out(clusters, board: str) -> None:
    """Though the page server is busy with one of the former life when it asks."""
    reborn = served("reborn", process("reborn", core=2, restart=["fault"], power="board")) | {"kind": "io"}
    board_ = clusters(
        {"system": "reborn-client", "board": board, "kernel": KERNELS[board], "clusters": {"c0": reborn, "c1": forged("deaf")}}, timeout=60
    )
    said = board_["c0"].text
    assert "domain reborn: fault" in said and "remotecaps: right" in said
    assert int(re.findall(r"remotecaps: made after (\d+) ms", said)[0]) > 3000  # it was busy


def test_a_home_that_answers_late_holds_up_its_own_client_alone(clusters) -> None:
    """And that one for sixteen seconds."""
    late, forgetful = forged("late"), forged("forgetful")
    caps = {"kind": "process", "program": "build:server-caps.elf", "arguments": ["caps", "2"], "memory": "256K", "cores": [1], "threads": 3}
    one, two = process("taker", "1", "1", core=2, power="board"), process("taker", "2", "20", core=3)
    channels = [{"name": name, "between": ["caps", name], "size": "4K"} for name in ("one", "two")]
    io = {"kind": "io", "harts": 4, "channels": channels, "domains": {"caps": caps, "one": one, "two": two}}
    board = clusters(
        {"system": "late-caps", "board": "manycore", "kernel": KERNELS["manycore"], "clusters": {"c0": io, "c1": late, "c2": forgetful}},
        timeout=60,
    )
    said = {int(home): (int(result), int(ms)) for home, result, ms in re.findall(r"takes from (\d): (-?\d+), (\d+) ms", board["c0"].text)}
    assert said[2][0] > 0 and said[2][1] < 1000
    assert said[1][0] < 0 and 15000 <= said[1][1] < 17000
