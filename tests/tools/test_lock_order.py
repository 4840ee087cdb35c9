# SPDX-License-Identifier: MIT
"""The table of docs/locks.md is an order, and each place of the kernel that takes a spin lock has a class of it."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from amalgam.paths import ROOT

SPEC = importlib.util.spec_from_file_location("lock_order", ROOT / "tests/host/lock_order.py")
assert SPEC and SPEC.loader
lock_order = sys.modules["lock_order"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lock_order)

TABLE = """<!-- order -->
| class | where | what it guards | taken inside it |
|---|---|---|---|
| outer | `struct a` | this | middle, inner |
| middle | `struct b` | that | {middle} |
| inner | `struct c` | both | {inner} |
<!-- end -->"""


def test_the_documented_order_has_no_cycle() -> None:
    permitted = lock_order.order((ROOT / "docs/locks.md").read_text())
    names = list(permitted)
    for name, inside in permitted.items():
        assert all(names.index(inner) > names.index(name) for inner in inside)
    assert "awake" in permitted["run queue"]


def test_a_table_is_read_row_by_row() -> None:
    assert lock_order.order(TABLE.format(middle="inner", inner="-")) == {"outer": {"middle", "inner"}, "middle": {"inner"}, "inner": set()}


@pytest.mark.parametrize(
    ("middle", "inner", "why"),
    [
        ("inner", "outer", "inner: outer, which may be taken inside it, does not stand below it"),
        ("middle", "-", "middle: middle, which may be taken inside it, does not stand below it"),
        ("other", "-", "middle: other, which may be taken inside it, has no row"),
    ],
    ids=["cycle", "itself", "unknown"],
)
def test_a_table_that_is_no_order_is_refused(middle: str, inner: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        lock_order.order(TABLE.format(middle=middle, inner=inner))


def test_each_place_that_takes_a_lock_has_a_class() -> None:
    listed = lock_order.places(lock_order.PLACES.read_text())
    classes = lock_order.order(lock_order.DOCS.read_text())
    found = lock_order.sources()
    assert len(found) > 80
    assert not [f"{p.file}: {p.lock}" for p in found if not any(lock_order.fits(p, one) for one in listed)]
    assert not [f"{p.file}: {p.lock}" for p in listed if not any(lock_order.fits(one, p) for one in found)], "listed, but not there"
    assert not set(listed.values()) ^ set(classes), "a class without a place, or a place without a class"


def test_places_are_found_in_a_source() -> None:
    text = "f = spin_lock_irqsave(&p->lock); /* spin_lock(&no) */ spin_lock_here(lock_of(a, b)); u64_peek(&t->total, &s->lock);"
    assert [p.lock for p in lock_order.taken("a.c", text)] == ["&p->lock", "lock_of(a, b)", "&s->lock"]
    assert lock_order.fits(lock_order.Place("vm/io.c", "&d->lock"), lock_order.Place("vm/*", "&d->lock"))
    assert not lock_order.fits(lock_order.Place("vm/io.c", "&d->lock"), lock_order.Place("vm/pc/*", "&d->lock"))


def test_the_tables_for_c_have_each_place() -> None:
    text = lock_order.header()
    for place in lock_order.places(lock_order.PLACES.read_text()):
        assert f'{{ "{place.file}", "{place.lock}", ' in text
