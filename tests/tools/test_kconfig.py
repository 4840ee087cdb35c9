# SPDX-License-Identifier: MIT
"""A configuration means what it says: Kconfig knows each option, and gives it the value that is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.build import kconfig
from amalgam.errors import UserError

CONFIGS = sorted((paths.ROOT / "config").glob("*.config"))
KCONFIG = """
config A
    bool "a"
    default y

config B
    bool "b"
    depends on A
    default n

config NAME
    string "name"
    default "x"
"""


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_each_configuration_of_the_tree_is_what_it_says(config: Path) -> None:
    kconfig.check(config)


def test_each_option_that_a_makefile_asks_for_is_declared() -> None:
    kernel = paths.ROOT / "kernel"
    asked = {
        name
        for path in (kernel / "Makefile", *kernel.rglob("*.mk"))
        for name in re.findall(r"\$\((?:if \$\()?CONFIG_(\w+)\b", path.read_text(encoding="utf-8"))
    }
    files = [kconfig.KCONFIG, *kernel.glob("*/Kconfig"), *kernel.glob("vm/devices/*/Kconfig")]
    declared = {name for path in files for name in re.findall(r"^config (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert len(asked) > 20
    assert asked - declared <= {"X"}  # of the Makefile's own explanation


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("CONFIG_A=y\n", ""),
        ("CONFIG_A=y\nCONFIG_B=y\n", ""),
        ("# CONFIG_A is not set\n", ""),
        ('CONFIG_A=y\nCONFIG_NAME="z"\n', ""),
        ("CONFIG_A=y\nCONFIG_NAM=y\n", "2: no option is called CONFIG_NAM (did you mean CONFIG_NAME?)"),
        ("# CONFIG_A is not set\nCONFIG_B=y\n", "2: CONFIG_B is y here and n by kernel/Kconfig, as it depends on A"),
        ("CONFIG_B=y\n", "CONFIG_A is y unless it is said: write CONFIG_A=y or '# CONFIG_A is not set'"),
        ("CONFIG_A=y\nCONFIG_A=y\n", "2: CONFIG_A is said twice"),
        ("CONFIG_A=y\nCONFIG_B = y\n", "2: 'CONFIG_B = y' is neither CONFIG_NAME=VALUE nor '# CONFIG_NAME is not set'"),
        ("CONFIG_A=yes\n", "1: CONFIG_A is yes here and y by kernel/Kconfig, which is no value of it"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "Kconfig").write_text(KCONFIG, encoding="utf-8")
    config = tmp_path / "some.config"
    config.write_text(text, encoding="utf-8")
    assert kconfig.faults(config, tmp_path / "Kconfig") == ([fault] if fault else [])


def test_a_faulty_configuration_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "some.config"
    config.write_text("CONFIG_VMM=y\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"no option is called CONFIG_VMM \(did you mean CONFIG_VM\?\)"):
        kconfig.check(config)


def test_no_guest_has_frames_that_move(tmp_path: Path) -> None:
    """It is shown a process's pages where they lie when it is made: another process's may lie there later."""
    config = tmp_path / "some.config"
    config.write_text(
        (paths.ROOT / "config" / "scc-linux-net.config").read_text(encoding="utf-8") + "CONFIG_SVM_MIGRATE=y\n", encoding="utf-8"
    )
    assert any("CONFIG_CHIP_GUESTS is y here and n by kernel/Kconfig" in fault for fault in kconfig.faults(config))
