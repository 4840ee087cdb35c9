# SPDX-License-Identifier: MIT
"""A browser out of packages: what it looks for is beside it, its libraries are all there, and the C library is the machine's."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam.artifacts import chromium

TREES = {
    chromium.PACKAGE: ("usr/lib/chromium/chromium-headless-shell", "usr/lib/chromium/headless_lib_data.pak"),
    chromium.COMMON: ("usr/lib/chromium/icudtl.dat",),
    chromium.FONTS: ("usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",),
    "libnss3": tuple(f"usr/lib/x86_64-linux-gnu/{name}" for name in chromium.LOADED_LATER["libnss3"]),
}


def test_the_browser_finds_its_files_its_libraries_and_the_machines_c_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unpacked(cache: Path, package: str, _log: object) -> Path:
        for inside in TREES[package]:
            (cache / package / inside).parent.mkdir(parents=True, exist_ok=True)
            (cache / package / inside).write_text(inside, encoding="utf-8")
        return cache / package

    def with_libraries(*_words: object) -> list[tuple[str, Path]]:
        names = ("lib/x86_64-linux-gnu/libc.so.6", "lib/x86_64-linux-gnu/libpulse.so.0", "lib64/ld-linux-x86-64.so.2", "program")
        return [(name, tmp_path / "other" / name) for name in names]

    monkeypatch.setattr(chromium.apt.MACHINE, "unpacked", unpacked)
    monkeypatch.setattr(chromium.apt.MACHINE, "ask", lambda _packages: None)
    monkeypatch.setattr(chromium.programs, "with_libraries", with_libraries)
    made = chromium.folder(tmp_path / "cache", print)
    assert {path.name for path in (made / "libraries").iterdir()} == {"libpulse.so.0", *chromium.LOADED_LATER["libnss3"]}
    assert (made / "libraries/libsoftokn3.so").exists()
    program, *_words = (word for word in chromium.command(made, tmp_path / "state") if Path(word).name == chromium.PROGRAM)
    beside = Path(program).resolve().parent  # where the program looks
    assert all((beside / name).exists() for name in ("headless_lib_data.pak", "icudtl.dat"))
    assert (made / "fonts/DejaVuSans.ttf").exists()
    assert f"<dir>{made / 'fonts'}</dir>" in (tmp_path / "state/fonts.conf").read_text(encoding="utf-8")
