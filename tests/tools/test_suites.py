# SPDX-License-Identifier: MIT
"""`test posix --suite DIR`: what becomes of the cases of a suite."""

from __future__ import annotations

import subprocess
from pathlib import Path

from amalgam import paths

CASES = {
    "functional/right.c": '#include "shared.h"\nint main(void) { return t_shared() - 7; }',
    "functional/wrong.c": '#include <stdio.h>\nint main(void) { puts("2 is not 3"); return 1; }',
    "functional/faults.c": "int main(void) { __builtin_trap(); }",
    "functional/header.c": "#include <sys/none.h>\nint main(void) { return 0; }",
    "regression/function.c": "int no_such_call(void);\nint main(void) { return no_such_call(); }",
    "regression/priority.c": '#include <sched.h>\n#include <stdio.h>\nint main(void) { puts("sched_setscheduler"); return SCHED_FIFO != -1; }',
    "common/shared.h": "int t_shared(void);",
    "common/shared.c": "int t_shared(void) { return 7; }",
    "common/lacks.c": "#include <sys/none.h>",
}
TABLE = """\
| libc-test | passes | fails | cannot |
|---|---|---|---|
| functional | 1 | 2 | 1 |
| 1 others | 0 | 0 | 2 |
| all | 1 | 2 | 3 |"""


def amalgam(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([paths.ROOT / "amalgam", "test", *map(str, words)], capture_output=True, text=True, check=False)


def suite(folder: Path) -> Path:
    for name, text in CASES.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_each_case_of_a_suite_passes_fails_or_cannot(tmp_path: Path) -> None:
    done = amalgam("posix", "--suite", suite(tmp_path))
    assert done.returncode == 1 and done.stdout.endswith(TABLE + "\n"), done
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines() if line.startswith(("fails ", "cannot ")))
    assert told == {
        "fails  functional/wrong": "status 1: 2 is not 3",
        "fails  functional/faults": "status -4",
        "cannot functional/header": "no header sys/none.h",
        "cannot regression/function": "no no_such_call()",
        "cannot regression/priority": "it sets priorities: there is one",
    }


def test_some_cases_of_a_suite(tmp_path: Path) -> None:
    done = amalgam("posix", "--suite", suite(tmp_path), "--only", "right")
    assert done.returncode == 0 and "| all | 1 | 0 | 0 |" in done.stdout


def test_what_is_no_suite_is_refused(tmp_path: Path) -> None:
    assert "is no suite that is known" in amalgam("posix", "--suite", tmp_path).stderr
    assert "next: ./amalgam test posix --suite DIR" in amalgam("unit", "--suite", tmp_path).stderr
    assert "no case's path contains 'nothing'" in amalgam("posix", "--suite", suite(tmp_path), "--only", "nothing").stderr
