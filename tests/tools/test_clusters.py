# SPDX-License-Identifier: MIT
"""The host's side of the manycore board: the firmware's table, where everything lies, the device trees."""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.system.clusters import fdt, model, table
from amalgam.system.clusters.check import check_memory, check_system
from amalgam.system.clusters.devicetree import tree_of
from amalgam.system.clusters.model import Board, Cluster, ClusterSystem, Image, Kind
from amalgam.system.clusters.place import place
from amalgam.system.layout import CLUSTER_TABLE
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.units import GIB, KIB

MARK = Mark(Path("x.yaml"))
BOARD = Board(MARK, {}, "manycore", "virt,aclint=on", "qemu-system-riscv64", "rv64,svnapot=on", 64, 512, 2 * GIB)


def made(shape: list[tuple[Kind, int, int]], outbox: int = 64 * KIB, image: Image | None = None, board: Board = BOARD) -> ClusterSystem:
    """A placed system; `shape`: kind, harts, memory of each cluster."""
    system = ClusterSystem(MARK, {}, "x", Path("x.yaml"), board, outbox)
    for number, (kind, harts, memory) in enumerate(shape):
        cluster = Cluster(MARK, {}, f"c{number}", number, kind, harts, memory, harts == 17, None, f"number={number}")
        cluster.image = image or Image(bytes(range(200)), 4, 300)
        system.clusters.append(cluster)
    model.number_harts(system.clusters, board.fleet)
    place(system)
    return system


def test_the_compiler_sees_the_same_table(tmp_path: Path) -> None:
    """Size of each struct, place of each member, every define and enum: as the host reads them from the header."""
    same = []
    for name, body in CLUSTER_TABLE.bodies.items():
        same.append((f"sizeof(struct {name})", CLUSTER_TABLE.struct(name).size))
        same += [(f"offsetof(struct {name}, {f.name})", CLUSTER_TABLE.offset(name, f.name)) for f in CLUSTER_TABLE.fields(body)]
    same += CLUSTER_TABLE.constants.items()
    assert len(same) > 35
    source = tmp_path / "same.c"
    lines = [f'_Static_assert({text} == {value}u, "{text}");' for text, value in same]
    source.write_text("\n".join(["#include <stddef.h>", '#include "table.h"', *lines]) + "\n", encoding="utf-8")
    for march, mabi in (("rv64imac", "lp64"), ("rv32imac", "ilp32")):
        flags = ["-std=gnu11", "-ffreestanding", "-fsyntax-only", f"-march={march}", f"-mabi={mabi}"]
        subprocess.run(["riscv64-unknown-elf-gcc", *flags, f"-I{paths.ROOT}/firmware/manycore", source], check=True)


def test_nothing_overlaps_and_pmp_can_say_it() -> None:
    """Random systems: every slice, outbox and the NoC slice is a power of two at a multiple of its size, all are disjoint."""
    chance = random.Random(14)
    for _ in range(200):
        shape = [(chance.choice(list(Kind)), chance.randrange(1, 20), chance.choice(model.SLICES)) for _ in range(chance.randrange(1, 24))]
        system = made(shape, chance.choice(model.OUTBOXES))
        diag = Diagnostics()
        check_memory(system, diag)
        assert not diag.problems
        packed = table.pack(system)
        areas = [(model.RAM, model.TABLE - model.RAM), (model.TABLE, len(packed)), (system.noc, system.noc_size)]
        areas += [(c.base, c.memory) for c in system.clusters]
        for base, size in [*areas[2:], *((c.outbox, system.outbox) for c in system.clusters)]:
            assert size & (size - 1) == 0 and base % size == 0
        assert all(system.noc <= c.outbox and c.outbox + system.outbox <= system.noc + system.noc_size for c in system.clusters)
        assert len({c.outbox for c in system.clusters}) == len(system.clusters)
        areas.sort()
        assert all(base + size <= after for (base, size), (after, _) in zip(areas, areas[1:], strict=False))


def test_a_system_too_large_is_refused_and_not_wrapped() -> None:
    system = made([(Kind.IO, 1, 16 << 20)] * 127)
    diag = Diagnostics()
    check_system(system, diag)
    check_memory(system, diag)
    assert [p.wrong for p in diag.problems] == ["firmware, NoC slice and all memories take 2048M"] or system.end > 4 * GIB


def test_equal_kernels_are_stored_once() -> None:
    image = Image(bytes(100_000), 0, 100_000)
    one, many = (len(table.pack(made([(Kind.IO, 4, 2 << 20)] * n, image=image))) for n in (1, 20))
    assert many < one + 20 * 8192


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """As the device tree compiler reads them; what it does not like fails."""
    system = made([(Kind.IO, 4, 4 << 20), (Kind.COMPUTE, 17, 2 << 20)])
    found = []
    for cluster in system.clusters:
        path = tmp_path_factory.mktemp("trees") / "x.dtb"
        path.write_bytes(cluster.tree)
        done = subprocess.run(["dtc", "-I", "dtb", "-O", "dts", path], capture_output=True, text=True, check=True)
        assert "Warning" not in done.stderr, done.stderr
        found.append(done.stdout)
    return found


def cells(text: str, name: str) -> list[int]:
    found = re.search(rf"{name} = <([^>]*)>", text)
    assert found, name
    return [int(word, 16) for word in found[1].split()]


def test_a_tree_has_the_harts_and_the_memory_of_its_cluster_alone(trees: list[str]) -> None:
    system = made([(Kind.IO, 4, 4 << 20), (Kind.COMPUTE, 17, 2 << 20)])
    for cluster, text in zip(system.clusters, trees, strict=True):
        harts = [int(word, 16) for word in re.findall(r"cpu@([0-9a-f]+) \{", text)]
        assert harts == ([0, 2, 3, 4], [1, *range(5, 21)])[cluster.number] == cluster.own_harts
        assert re.findall(r"memory@([0-9a-f]+) \{", text) == [f"{cluster.base:x}"]
        assert cells(text, "amalgam,number") == [cluster.number] and cells(text, "amalgam,count") == [2]
        assert cells(text, "amalgam,noc") == [0, system.noc, 0, system.noc_size]
        assert cells(text, "amalgam,outbox") == [0, cluster.outbox, 0, system.outbox]
        assert cells(text, "amalgam,clusters") == [1, 0, 4, 0, 0, 1, 17, 1]
        assert cells(text, "amalgam,rings") == [0, 1, 4, 1]
        assert cells(text, "amalgam,harts") == [cell for hart in harts for cell in (hart, 4 * hart)]
        assert cells(text, "amalgam,patience") == [1000]
        assert "amalgam,awake" not in text
        assert "amalgam,svnapot;" in text and text.count("_svnapot") == len(harts)
        assert f'bootargs = "number={cluster.number}"' in text
        bells = re.findall(r"sswi@([0-9a-f]+) \{.*?interrupts-extended = <([^>]*)>", text, re.DOTALL)
        rung = {int(at, 16) + 4 * i: int(word, 16) for at, words in bells for i, word in enumerate(words.split()[::2])}
        assert rung == {model.DOORBELLS + 4 * hart: hart + 1 for hart in harts}  # phandles of their controllers


@pytest.mark.parametrize(("cpu", "bits"), [("rv64", 64), ("rv64,svnapot=off", 64), ("rv32", 32), ("rv32,svnapot=on", 32)])
def test_a_tree_says_svnapot_only_of_harts_that_have_it(cpu: str, bits: int) -> None:
    system = made([(Kind.IO, 2, 4 << 20)], board=replace(BOARD, cpu=cpu, bits=bits))
    assert b"svnapot" not in tree_of(system, system.clusters[0])


def test_in_a_fleet_each_cluster_has_a_board_of_its_own(full: bool) -> None:
    """Random fleets: slices begin behind the table, outboxes lie in the device's memory, one register rings all."""
    chance, board = random.Random(26), replace(BOARD, family=model.FLEET)
    for _ in range(200 if full else 10):
        shape = [(chance.choice(list(Kind)), chance.randrange(1, 20), chance.choice(model.SLICES)) for _ in range(chance.randrange(1, 9))]
        system = made(shape, chance.choice(model.OUTBOXES), board=board)
        for cluster in system.clusters:
            assert cluster.own_harts == list(range(cluster.harts))
            assert cluster.base % cluster.memory == 0
            data = table.pack(system, cluster)
            assert cluster.base >= model.TABLE + len(data)
            assert cluster.outbox == model.SHARED + cluster.number * system.outbox
            assert "sswi" not in cluster.tree.decode("latin-1")
            again = bytes(model.TABLE - model.RAM) + data
            changed = table.with_lives(again, cluster.number, 7)
            assert sum(a != b for a, b in zip(again, changed, strict=True)) == 1


def test_each_cluster_of_a_board_is_given_random_bytes_of_its_own() -> None:
    """In its device tree, where its kernel looks for them; a file that is kept has none."""
    system = made([(Kind.IO, 2, 4 << 20), (Kind.COMPUTE, 3, 4 << 20)])
    file = bytes(model.TABLE - model.RAM) + table.pack(system)
    seeds = {0: bytes(range(250, 218, -1)), 1: bytes(range(240, 208, -1))}
    changed = table.with_seeds(file, seeds)
    assert sum(a != b for a, b in zip(file, changed, strict=True)) == 64
    for cluster in system.clusters:
        at = changed.index(seeds[cluster.number]) - file.index(cluster.tree)
        given = cluster.tree[:at] + seeds[cluster.number] + cluster.tree[at + 32 :]
        read = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts"], input=given, capture_output=True, check=True).stdout.decode()
        words = " ".join(f"0x{seeds[cluster.number][i : i + 4].hex()}" for i in range(0, 32, 4))
        assert f"rng-seed = <{words}>" in read


def test_the_writer_of_trees_and_the_compiler_agree(tmp_path: Path) -> None:
    """The same tree from its source, property by property."""
    child = fdt.Node("b@1", {"reg": [1], "bytes": b"\x01\x02\x03", "flag": None})
    ours = tmp_path / "ours.dtb"
    ours.write_bytes(fdt.blob(fdt.Node("", {"text": "one", "texts": ["one", "two"], "big": fdt.pair(5 << 32 | 7)}, [child]), 3))
    source = '/dts-v1/; / { text = "one"; texts = "one", "two"; big = <5 7>; b@1 { reg = <1>; bytes = [010203]; flag; }; };'
    theirs = tmp_path / "theirs.dtb"
    subprocess.run(["dtc", "-q", "-O", "dtb", "-o", theirs], input=source.encode(), check=True)
    read = [
        subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", "-s", path], capture_output=True, check=True).stdout
        for path in (ours, theirs)
    ]
    assert read[0] == read[1]
