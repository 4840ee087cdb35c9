# SPDX-License-Identifier: MIT
"""A comment behind code fits in its line; a longer one stands above. The formatter breaks it otherwise, and a word stands alone at the right edge."""

from __future__ import annotations

import re

from amalgam.paths import ROOT
from listing import listed

BROKEN = re.compile(r"^[ \t]*[^\s/*#][^\n]*?/\*(?![^\n]*\*/)[^\n]*$|^[ \t]*#[ \t]*define\b[^\n]*?/\*(?![^\n]*\*/)[^\n]*$", re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def broken(text: str) -> list[str]:
    """The lines whose comment goes on in the next one."""
    return BROKEN.findall(STRING.sub('""', text))


def test_no_comment_behind_code_goes_on_in_the_next_line() -> None:
    found = {name: lines for name in listed("*.c", "*.h") if (lines := broken((ROOT / name).read_text(errors="replace")))}
    assert found == {}


def test_a_broken_comment_is_found() -> None:
    assert broken("    u32 slow; /* not 0: a message\n                 waits */\n") == ["    u32 slow; /* not 0: a message"]
    assert broken("#define SIZE 4 /* of\n                 all */\n") == ["#define SIZE 4 /* of"]
    assert broken('/* above\n * it */\nu32 slow; /* short */\nputs("/* no comment");\n') == []
