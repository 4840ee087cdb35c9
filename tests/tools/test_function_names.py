# SPDX-License-Identifier: MIT
"""A static function is named after its object first (uart_notify): link-time optimization drops files, so a backtrace with six of `notify` says nothing."""

from __future__ import annotations

import re

from amalgam.paths import ROOT
from listing import listed

VERBS = ("start", "run", "notify", "deliver", "update", "load")  # that many files had once, as their only name
STATIC = re.compile(rf"^static\b[^;={{}}()]*?\b({'|'.join(VERBS)})\(", re.MULTILINE)


def named_by_a_verb(text: str) -> list[str]:
    return STATIC.findall(text)


def test_no_static_function_is_named_by_a_verb_that_many_have() -> None:
    names = listed(*(f"{folder}/**.{kind}" for folder in ("kernel", "linux", "firmware") for kind in "ch"))
    assert len(names) > 500
    found = {name: verbs for name in names if (verbs := named_by_a_verb((ROOT / name).read_text(errors="replace")))}
    assert found == {}


def test_such_a_name_is_found() -> None:
    assert named_by_a_verb("static __init_text const char *run(u64 *reason)\n") == ["run"]
    assert named_by_a_verb("static bool start(struct device *d) { return load(d); }\n") == ["start"]
    assert named_by_a_verb("static bool device_start(struct device *d)\n{\n    return start(d);\n}\n") == []
