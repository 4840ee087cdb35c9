# SPDX-License-Identifier: MIT
"""What differs between Debian releases: names of packages, where their files lie, which emulator has the ppc405 board."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from amalgam import artifacts, paths
from amalgam.artifacts import apt, emulator, initrd
from amalgam.artifacts.error import ArtifactError
from amalgam.host import packages
from amalgam.measure import budgets

QEMU_7 = "Supported machines are:\nnone                 empty machine\nref405ep             ref405ep\n"
QEMU_10 = "Supported machines are:\nnone                 empty machine\nppce500              generic paravirt e500 platform\n"


@pytest.mark.parametrize(
    ("release", "number"),
    [
        ({"ID": "debian", "VERSION_ID": "12"}, 12),
        ({"ID": "debian", "VERSION_ID": "13"}, 13),
        ({"ID": "debian"}, 12),  # testing has no number
        ({"ID": "ubuntu", "VERSION_ID": "24.04"}, 12),
    ],
)
def test_the_release_is_told_by_its_number(monkeypatch: pytest.MonkeyPatch, release: dict[str, str], number: int) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    assert packages.debian_release() == number


def test_setup_asks_for_no_package_that_debian_13_lacks() -> None:
    on_13 = {package.name for package in packages.EVERY if package.last_debian >= 13}
    assert not on_13 & {"linux-source-6.1", "libclang-rt-14-dev", "qemu-system-ppc"}


def fake_emulator(folder: Path, machines: str) -> str:
    program = folder / emulator.PROGRAM
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{machines}END\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(("machines", "own"), [(QEMU_7, True), (QEMU_10, False)])
def test_an_emulator_without_the_board_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machines: str, own: bool) -> None:
    program = fake_emulator(tmp_path, machines)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(emulator, "unpacked", lambda _cache, _log: ["debian 12's"])
    emulator.ppc405.cache_clear()
    try:
        assert emulator.ppc405(tmp_path, print) == ((program,) if own else ("debian 12's",))
    finally:
        emulator.ppc405.cache_clear()


NAMES_1 = b"\0qemu_plugin_insn_size\0qemu_plugin_register_vcpu_insn_exec_inline\0"
NAMES_3 = b"\0qemu_plugin_insn_size\0qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu\0"


@pytest.mark.parametrize(("names", "own"), [(NAMES_1, True), (NAMES_3, False)])
def test_an_emulator_that_takes_no_plugin_of_ours_is_replaced_where_one_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: bytes, own: bool
) -> None:
    program = tmp_path / "qemu-system-x86_64"
    program.write_bytes(b"\x7fELF" + names)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(emulator, "unpacked", lambda _cache, _log, name: ["loader", f"debian 12's {name}"])
    emulator.counting.cache_clear()
    try:
        for command in (["qemu-system-x86_64", "-M", "q35"], ["true", "-plugin", "x"]):
            assert artifacts.counting(command) == command
        counted = artifacts.counting(["qemu-system-x86_64", "-plugin", "x"])
        assert counted[:-2] == (["qemu-system-x86_64"] if own else ["loader", "debian 12's qemu-system-x86_64"])
        assert counted[-2:] == ["-plugin", "x"]
    finally:
        emulator.counting.cache_clear()


def test_a_file_is_found_with_and_without_merged_usr(tmp_path: Path) -> None:
    for tree, where in (("old", "bin"), ("new", "usr/bin")):
        (tmp_path / tree / where).mkdir(parents=True)
        (tmp_path / tree / where / "busybox").touch()
        assert apt.merged(tmp_path / tree, "bin/busybox") == tmp_path / tree / where / "busybox"


def test_a_module_that_is_built_in_needs_no_file(tmp_path: Path) -> None:
    (tmp_path / "modules.builtin").write_text("kernel/drivers/virtio/virtio_mmio.ko\n", encoding="utf-8")
    modules = initrd.Modules(tmp_path)
    assert modules.order("virtio-mmio") == []
    with pytest.raises(ArtifactError, match="no module virtio_blk"):
        modules.order("virtio_blk")


@pytest.mark.parametrize(("version", "told"), [("12.2.0", ""), ("14", "compiled by {gcc} 14, the budgets are of {gcc} 12")])
def test_a_budget_names_the_compiler_it_holds_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, told: str) -> None:
    gcc = tmp_path / "gcc"
    gcc.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
    gcc.chmod(0o755)
    (tmp_path / "budgets").mkdir()
    (tmp_path / "budgets" / "exits.yaml").write_text(f"compiler: {gcc} 12\nhypercall: {{max: 70}}\n", encoding="utf-8")
    monkeypatch.setattr(paths, "BENCH", tmp_path)
    assert budgets.limits("exits") == {"hypercall": {"max": 70}}
    assert budgets.other_compiler("exits") == told.format(gcc=gcc)
    over = budgets.exceeded("exits", {"hypercall": 71})
    assert over and budgets.held("exits", over) == (told == "")


@pytest.mark.parametrize(("version", "most"), [("12.2.0", 95), ("14", 102)])
def test_a_row_may_have_a_column_for_another_compiler_which_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, most: int
) -> None:
    gcc = tmp_path / "gcc"
    gcc.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
    gcc.chmod(0o755)
    (tmp_path / "budgets").mkdir()
    text = f"compiler: {gcc} 12\nmsr: {{max: 95, {gcc} 14: {{max: 102}}}}\nmsr-user: {{max: 10}}\n"
    (tmp_path / "budgets" / "exits.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(paths, "BENCH", tmp_path)
    assert budgets.limits("exits") == {"msr": {"max": most}, "msr-user": {"max": 10}}
    assert budgets.exceeded("exits", {"msr": most}) == []
    over = budgets.exceeded("exits", {"msr": most + 1})
    assert budgets.binding("exits", over) == over and budgets.held("exits", over)
    other = budgets.exceeded("exits", {"msr-user": 11})
    assert budgets.held("exits", other) == (version != "14")
