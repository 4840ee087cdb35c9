# SPDX-License-Identifier: MIT
"""How models are compiled and searched (tests/model/run.sh): long searches of sound ones are optimized, no others."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from amalgam import paths

# Say what they were called with; the search finds an error if -DBROKEN... was given.
GCC = (
    '#!/bin/sh\necho "gcc $1" >>{log}\nprintf "#!/bin/sh\\necho pan \\$1 >>{log}; echo errors: %s\\n" "$(cat errors)" >pan\nchmod +x pan\n'
)
SPIN = '#!/bin/sh\ncase "$*" in *-DBROKEN*) echo 1 ;; *) echo 0 ;; esac >errors\n'


def test_a_long_search_of_a_sound_model_is_optimized(tmp_path: Path) -> None:
    log, folder = tmp_path / "log", tmp_path / "bin"
    folder.mkdir()
    for name, text in (("gcc", GCC), ("spin", SPIN)):
        (folder / name).write_text(text.format(log=log) if name == "gcc" else text, encoding="utf-8")
        (folder / name).chmod(0o755)
    script = paths.ROOT / "tests/model/run.sh"
    large = re.search(r'^large="(.*)"$', script.read_text(encoding="utf-8"), re.MULTILINE)
    assert large

    def searches(model: str) -> list[str]:
        log.write_text("", encoding="utf-8")
        words = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "OUT": str(tmp_path / "out")}
        subprocess.run([script, model], check=True, env=words, stdout=subprocess.DEVNULL)
        lines = log.read_text(encoding="utf-8").splitlines()
        return sorted({f"{gcc} {pan}" for gcc, pan in zip(lines[::2], lines[1::2], strict=True)})

    broken, models = "gcc -O0 pan -w18", large[1].split()
    for model in (models[0], "names", models[-1]):
        assert searches(model) == [broken, "gcc -O1 pan -w24"], model
    assert searches("caps") == [broken, "gcc -O0 pan -w22"]
