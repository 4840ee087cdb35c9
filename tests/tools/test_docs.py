# SPDX-License-Identifier: MIT
"""What the documents name exists: files and headings behind links, tests, functions and files by their names.

A test's name is test_... or fuzz_... anywhere, or, as unit tests have it, words_with_underscores in `code`; a file's has an
ending in `code`, or a folder of the tree before it. Names in capitals (NAME.c) stand for any; a file's name without a folder
may lie anywhere in the tree. Modules of tools/amalgam have their room before their name (amalgam.ROOM.MODULE), in examples, too.
Blocks between ``` are examples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from amalgam.paths import ROOT
from listing import listed

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
HEADING = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
EXAMPLE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"\b(?:test|fuzz)_\w+")
NAME = re.compile(r"[a-z][a-z\d]*(?:_[a-z\d]+)+")
FUNCTION = re.compile(r"(\w+)\([^)]*\)")
FILE = re.compile(r"[a-z\d_./-]+\.(?:c|h|S|py|pml|yaml|mk|config|lds|md|sh)")
MODULE = re.compile(r"(?:`|from |import )(amalgam(?:\.[a-z]\w*)+)(?![\w=])")
PATH = re.compile(rf"(?<![\w./-])[a-z]+/{FILE.pattern}(?!\w)")
OTHERS_FILES = {"mine.yaml", "app.c", "hello.c", "math.h"}  # that the reader writes, or the C library has
OTHERS_NAMES = {"atomic_flag", "mpc85xx_smp"}  # C11's, and a board of Linux'
OTHERS_FUNCTIONS = re.compile(r"stop_machine|[A-Z]\w+")  # Linux', and macros and manuals' pseudo-code in capitals


@cache
def files() -> dict[str, str]:
    """Each file of the tree with its text."""
    return {name: (ROOT / name).read_text(errors="replace") for name in listed()}


@cache
def folders() -> set[str]:
    """Those that the tree begins with."""
    return {name.split("/")[0] for name in files() if "/" in name}


@cache
def words() -> set[str]:
    """Every word of the sources."""
    return {word for name, text in files().items() if not name.endswith(".md") for word in re.findall(r"\w+", text)}


def is_there(path: str, known: dict[str, str]) -> bool:
    return Path(path).name in OTHERS_FILES or any(name == path or name.endswith("/" + path) for name in known)


def is_module(path: str) -> bool:
    """Whether it is a room of the tools, a module in one, or something of such a module."""
    module, _, _name = path.rpartition("/")
    return any(one in files() for one in (f"{path}.py", f"{path}/__init__.py", f"{module}.py"))


def headings(text: str) -> set[str]:
    """As a link to one names it."""
    found = re.findall(r"^#+ (.*)$", EXAMPLE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def missing(name: str, text: str) -> Iterator[str]:
    """What a document names and the tree has not."""
    for target in LINK.findall(text):
        if "://" not in target and not (Path(ROOT / name).parent / target).exists():
            yield f"the link {target}"
    for target, heading in HEADING.findall(text):
        path = os.path.normpath(Path(name).parent / target) if target else name
        if "://" not in target and heading not in headings(files().get(path, text)):
            yield f"the heading {target}#{heading}"
    for module in MODULE.findall(text):
        if not is_module(f"tools/{module.replace('.', '/')}"):
            yield f"the module {module}"
    told = EXAMPLE.sub("", text)
    for test in TEST.findall(told):
        if test not in words() and not any(f"/{test}." in known for known in files()):
            yield f"the test {test}"
    for path in PATH.findall(CODE.sub("", told)):
        if path.split("/")[0] in folders() and not is_there(path, files()):
            yield f"the file {path}"
    for code in CODE.findall(told):
        if NAME.fullmatch(code) and not TEST.match(code) and code not in words() | OTHERS_NAMES:
            yield f"the name {code}"
        called = FUNCTION.fullmatch(code)
        if called and called[1] not in words() and not OTHERS_FUNCTIONS.fullmatch(called[1]):
            yield f"the function {code}"
        if FILE.fullmatch(code) and not is_there(code, files()):
            yield f"the file {code}"


def hops(texts: dict[str, str]) -> dict[str, int]:
    """How many links each document is away from README.md. A link to a folder leads to the README.md there."""
    away, now = {"README.md": 0}, ["README.md"]
    while now:
        following = []
        for name in now:
            for target in LINK.findall(texts[name]):
                path = os.path.normpath(Path(name).parent / target)
                found = next((one for one in (path, f"{path}/README.md") if one.endswith(".md") and one in texts), None)
                if found and found not in away:
                    away[found] = away[name] + 1
                    following.append(found)
        now = following
    return away


def test_every_document_is_within_three_links_of_the_readme() -> None:
    documents = {name: text for name, text in files().items() if name.endswith(".md")}
    away = hops(documents)
    assert [name for name in documents if away.get(name, 9) > 3] == []


def test_hops_are_counted() -> None:
    texts = {"README.md": "[a](docs/a.md)", "docs/a.md": "[b](b)", "docs/b/README.md": "[up](../../README.md)", "docs/alone.md": ""}
    assert hops(texts) == {"README.md": 0, "docs/a.md": 1, "docs/b/README.md": 2}


ORPHAN = re.compile(r"(?<=\n\n)\|[^\n]*\n(?!\|[-| :]+\|\n)")  # a row behind an empty line that is no head of a table


def test_no_table_is_cut_by_an_empty_line() -> None:
    documents = {name: EXAMPLE.sub("", text) for name, text in files().items() if name.endswith(".md")}
    assert {name: found for name, text in documents.items() if (found := ORPHAN.findall(text))} == {}
    assert ORPHAN.findall("\n\n| a |\n|---|\n| b |\n\n| c |\n") == ["| c |\n"]


def test_every_board_is_named_by_a_page() -> None:
    text = "".join(text for name, text in files().items() if name.startswith("docs/"))
    assert [name for name in files() if re.fullmatch(r"boards/.*\.yaml", name) and name not in text] == []


def test_every_page_names_tests() -> None:
    """Beside its promises; benchmarks.md is made of figures."""
    pages = {name: text for name, text in files().items() if name.startswith("docs/") and name != "docs/benchmarks.md"}
    assert len(pages) > 20
    assert [name for name, text in pages.items() if len(set(TEST.findall(text))) < 3] == []


@pytest.mark.parametrize("name", sorted(name for name in files() if name.endswith(".md")))
def test_what_a_document_names_exists(name: str) -> None:
    assert list(missing(name, files()[name])) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[x](nowhere.md)", "the link nowhere.md"),
        ("[x](../README.md#{}-nothing)", "the heading ../README.md#{}-nothing"),
        ("# One thing\n[x](#one-thing) [y](#{})", "the heading #{}"),
        ("`test_{}`", "the test test_{}"),
        ("shown by test_{} and others", "the test test_{}"),
        ("`fuzz_{}`", "the test fuzz_{}"),
        ("`{}_what_it_promises`", "the name {}_what_it_promises"),
        ("`{}_function(a, b)`", "the function {}_function(a, b)"),
        ("`amalgam.{}` and `amalgam.measure.spans`", "the module amalgam.{}"),
        ("```\nfrom amalgam.{}.spans import Spans\n```", "the module amalgam.{}.spans"),
        ("`core/{}.c`", "the file core/{}.c"),
        ("shown by tests/model/{}.pml.", "the file tests/model/{}.pml"),
    ],
)
def test_what_does_not_exist_is_told(text: str, told: str) -> None:
    word = "".join(["never", "written"])  # so that the tree has no such word
    assert list(missing("docs/x.md", text.format(word))) == [told.format(word)]
