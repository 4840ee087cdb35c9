# SPDX-License-Identifier: MIT
"""Names of tests stand in tables and at the end of a paragraph or an item of docs/, in its last parenthesis: a sentence is read, names are looked up.

What stands in a sentence all the same, a test that the sentence is about or the file of several, is counted by its characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from amalgam.paths import ROOT

SHARE = 0.025  # of the pages' text: it was 0.0746, and 0.0185 when the names had moved; text comes and goes
NO_TEXT = re.compile(r"^```.*?^```|^\s*(?:\||#|<!--).*?$|^    \S.*?$", re.MULTILINE | re.DOTALL)  # examples, tables, headings
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")  # between paragraphs and items
CODE = re.compile(r"`([^`\n]+)`")
LAST = re.compile(r"(?<!\])\((?:[^()]|\([^()]*\))*\)[.:]?$")
PROMISE = re.compile(r"^(?:static void|def) (\w+_\w+_\w+)\(", re.MULTILINE)


@cache
def promises() -> frozenset[str]:
    """The tests that unit tests' files and pytest's have."""
    sources = [path for end in ("*.py", "test_*.c") for path in (ROOT / "tests").rglob(end)]
    return frozenset(name for path in sources for name in PROMISE.findall(path.read_text(errors="replace")))


def is_test(code: str) -> bool:
    return code.startswith(("test_", "fuzz_", "tests/")) or code in promises()


def blocks(page: str) -> Iterator[str]:
    """The paragraphs and items of a page, each without the parenthesis that it ends with."""
    for block in BLOCK.split(NO_TEXT.sub("", page)):
        yield LAST.sub("", block.strip())


def in_sentences(page: str) -> tuple[int, int]:
    """Characters of names of tests in a page's sentences, and of all of its text."""
    named = sum(len(code) + 2 for block in blocks(page) for code in CODE.findall(block) if is_test(code))
    return named, sum(map(len, BLOCK.split(NO_TEXT.sub("", page))))


def test_sentences_of_the_pages_name_few_tests() -> None:
    counted = [in_sentences(path.read_text()) for path in sorted((ROOT / "docs").glob("*.md"))]
    assert sum(named for named, _ in counted) <= SHARE * sum(length for _, length in counted)


def test_a_name_in_a_sentence_is_counted_and_one_at_its_end_is_not() -> None:
    name = "`test_a_name_in_a_sentence_is_counted_and_one_at_its_end_is_not`"
    assert in_sentences(f"It counts ({name}), and goes on.")[0] == len(name)
    assert in_sentences(f"It counts ({name}).\n\n- One item ({name}).\n- Another one.")[0] == 0
    assert in_sentences(f"| a table | {name} |\n\n```\n{name}\n```")[0] == 0
    assert in_sentences("`words_that_no_test_has` are no name of one.")[0] == 0
