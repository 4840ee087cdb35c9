# SPDX-License-Identifier: MIT
"""What a shape's configuration means, by kconfiglib: the Makefile reads config/SHAPE.config as it is, so a misspelt option or one
whose dependencies are not met would be silently something else than its reader thinks."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from amalgam import paths
from amalgam.errors import UserError

KCONFIG = paths.ROOT / "kernel" / "Kconfig"
LINE = re.compile(r'^(?:CONFIG_(?P<name>\w+)=(?:"(?P<text>[^"]*)"|(?P<value>\S+))|# CONFIG_(?P<unset>\w+) is not set)$')


def faults(config: Path, kconfig: Path = KCONFIG) -> list[str]:
    """What is wrong with a configuration, a sentence each."""
    import kconfiglib

    model = kconfiglib.Kconfig(str(kconfig), warn=False)
    model.load_config(str(config))
    said: dict[str, str] = {}
    found = []
    for number, line in enumerate(config.read_text(encoding="utf-8").splitlines(), 1):
        match = LINE.match(line)
        name = match and (match["name"] or match["unset"])
        if not match or not name:
            if line and not line.startswith("#"):
                found.append(f"{number}: '{line}' is neither CONFIG_NAME=VALUE nor '# CONFIG_NAME is not set'")
            continue
        if name in said:
            found.append(f"{number}: CONFIG_{name} is said twice")
        said[name] = "n" if match["unset"] else match["value"] if match["text"] is None else match["text"]
        symbol = model.syms.get(name)
        if symbol is None or not symbol.nodes:
            near = difflib.get_close_matches(name, [s.name for s in model.unique_defined_syms], 1)
            found.append(f"{number}: no option is called CONFIG_{name}" + (f" (did you mean CONFIG_{near[0]}?)" if near else ""))
        elif symbol.str_value != said[name]:
            needs = kconfiglib.expr_str(symbol.direct_dep)
            why = "which is no value of it" if needs == "y" else f"as it depends on {needs}"
            found.append(f"{number}: CONFIG_{name} is {said[name]} here and {symbol.str_value} by kernel/Kconfig, {why}")
    for symbol in model.unique_defined_syms:
        if symbol.name not in said and symbol.type == kconfiglib.BOOL and symbol.str_value == "y":
            found.append(
                f"CONFIG_{symbol.name} is y unless it is said: write CONFIG_{symbol.name}=y or '# CONFIG_{symbol.name} is not set'"
            )
    return found


def has(shape: str, option: str) -> bool:
    """Whether config/SHAPE.config chooses an option that is yes or no."""
    return f"CONFIG_{option}=y" in (paths.ROOT / "config" / f"{shape}.config").read_text(encoding="utf-8").splitlines()


def check(config: Path) -> None:
    """UserError, with every fault, if the configuration does not mean what it says."""
    found = faults(config)
    if found:
        raise UserError("\n".join(f"{paths.shown(config)}: {fault}" for fault in found), "./amalgam build SHAPE --menuconfig edits it")
