# SPDX-License-Identifier: MIT
"""What the counting plugin writes is read strictly: a span that was not whole is no figure."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam.errors import UserError
from amalgam.measure import spans

WHOLE = """mark 1 0 2 10 1000
tsc 0 10 0 1200 0x401000
tsc 1 0 30 50 0x401000
first 1 1300 60
mark 2 0 3 25 2000 500
first 1 2001 501
mark 1 0 3 25 2100 500
mark 2 0 3 25 2150 500
first 1 2160 510
end
"""


def written(tmp_path: Path, text: str) -> spans.Counted:
    path = tmp_path / "spans"
    path.write_text(text, encoding="utf-8")
    return spans.read(path)


def test_spans_are_differences_of_each_cpu(tmp_path: Path) -> None:
    found = written(tmp_path, WHOLE)
    assert found.spans == [spans.Span([1000, 500], 1, 15, 0, [1000], [1300, 60]), spans.Span([50, 0], 0, 0, 0, [2100, 500], [2160, 510])]
    assert found.stamps == [[spans.Stamp(0, 10, 0, 1200, 0x401000), spans.Stamp(1, 0, 30, 50, 0x401000)], []]


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.removesuffix("end\n"),  # the emulator was killed
        WHOLE.replace("mark 2 0 3 25 2000 500\n", ""),  # a program that never ended
        WHOLE.replace("mark 1 0 2 10 1000\n", ""),
        WHOLE.replace("mark 2 0 3 25 2000 500", "mark 2 1 3 25 2000 500"),  # it moved to another CPU
        WHOLE.replace("mark 2 0 3 25 2150 500\n", ""),  # it still ran
        WHOLE.replace("mark 1 0 3 25 2100", "mark 2 0 3 25 2100").replace("mark 2 0 3 25 2150", "mark 1 0 3 25 2150"),
        "",
    ],
)
def test_what_is_not_whole_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError):
        written(tmp_path, text)
