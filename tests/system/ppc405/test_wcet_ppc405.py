# SPDX-License-Identifier: MIT
"""Every routine of the kernel that can run while a guest waits has a bound, and nothing measured exceeds it."""

from __future__ import annotations

import re
import subprocess

import pytest
from amalgam import paths
from amalgam.build.kernel import build_kernel
from amalgam.measure import benches, budgets
from amalgam.system.partition import model as partition
from amalgam.wcet.code import MODELS
from amalgam.wcet.image import load
from amalgam.wcet.report import rows
from support import within_budget

pytestmark = pytest.mark.beside


CONFIGURATIONS = ("ppc405", "ppc405-base", "ppc405-paper", "ppc405-doorbell", "ppc405-fixed")


@pytest.mark.parametrize("shape", CONFIGURATIONS)
def test_every_routine_has_a_bound(shape: str) -> None:
    image = load(build_kernel(shape, lambda _text: None))
    for model, cost in MODELS.items():
        made, _ = rows(image, cost, cores=4)
        assert len(made) > (20 if shape == "ppc405-base" else 30)
        assert not [row["why"] for row in made if row["value"] is None], model


def vectors(shape: str, model: str, cores: int) -> tuple[int, int]:
    """The bound of the alarm, and of the dearest other vector."""
    made, _ = rows(load(build_kernel(shape, lambda _text: None)), MODELS[model], cores)
    found = {row["metric"]: row["value"] for row in made if row["metric"].startswith("vector_")}
    return found.pop("vector_1000"), max(found.values())


def test_interrupts_are_off_no_longer_than_promised() -> None:
    """In instructions, as the paper counts: the first table of docs/windows.md."""
    alarm, other = vectors("ppc405", "instructions", 4)
    found = {"wcet-alarm": alarm, "wcet-vector": other}
    assert found.keys() <= budgets.limits("proteus").keys()
    assert not budgets.exceeded("proteus", found)


@pytest.mark.parametrize("cores", [partition.KERNEL["PT_CORES_FEW"], partition.MAX_CORES])
@pytest.mark.parametrize("shape", CONFIGURATIONS)
def test_the_shortest_window_follows_from_the_dearer_model(shape: str, cores: int) -> None:
    """In cycles of a 405's pipeline, which are more: the second table of docs/windows.md."""
    few = cores == partition.KERNEL["PT_CORES_FEW"]
    alarm = partition.KERNEL["PT_ALARM_MOST" if few else "PT_ALARM_MOST_8"]
    other = partition.KERNEL["PT_VECTOR_MOST" if shape != "ppc405-doorbell" else "PT_BELL_MOST" if few else "PT_BELL_MOST_8"]
    assert all(made <= bound for made, bound in zip(vectors(shape, "405", cores), (alarm, other), strict=True))


def test_the_lock_is_faster_than_the_papers() -> None:
    image = load(build_kernel("ppc405", lambda _text: None))
    made, _ = rows(image, MODELS["instructions"], cores=4)
    wait = next(row for row in made if row["metric"] == "lock-wait")
    assert 0 < wait["value"] <= wait["paper"]


@pytest.mark.usefixtures("one_board")
def test_no_measured_count_exceeds_its_bound(tmp_path) -> None:
    context = benches.Context("proteus", lambda _text: None, output=tmp_path)
    counted = {row.metric: row.value for row in benches.load("proteus", "instructions")(context)}
    assert "sched_set_param" in counted
    within_budget("proteus", counted)
    image = load(paths.kernel_elf("ppc405"))
    made, _ = rows(image, MODELS["instructions"], cores=1, seen=tmp_path / "proteus" / "measured.json")
    both = [row for row in made if row["measured"] is not None]
    assert len(both) > 10
    assert not [row for row in both if row["measured"] > row["value"]]


def test_a_miss_of_the_kernel_itself_is_told_apart_first() -> None:
    """Before the address may make it a call of a pre-virtualized guest: the first branch of vector 1100 asks who ran (SRR1)."""
    image = build_kernel("ppc405", lambda _text: None)
    code = subprocess.run(
        ["powerpc-linux-gnu-objdump", "-d", "--no-show-raw-insn", "--disassemble=vector_1100", str(image)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = [line.split("\t", 1)[1] for line in code.splitlines() if re.match(r" *[0-9a-f]{8}:\t", line)]
    before = found[: next(i for i, words in enumerate(found) if words.startswith("b"))]
    assert any(words.startswith("mfsrr1") for words in before)
    assert any(words.startswith("andi.") and words.split()[1].endswith(",16384") for words in before)
    assert found[len(before)].startswith("beq")
