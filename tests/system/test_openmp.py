# SPDX-License-Identifier: MIT
"""OpenMP on the emulated SCC: each construct does what the standard says on several cores, the coherence checker finds nothing, and finds
what is taken out of the runtime."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.artifacts import rcce
from amalgam.artifacts.rcce import OPENMP
from amalgam.binary.codenames import Names
from amalgam.board.monitor import command
from amalgam.board.scc import SHARED_AT
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import compile_program, toolchain
from amalgam.build.openmp import FLUSH, instructions
from amalgam.build.p54c import newer
from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.system.natives import STACK_MOST
from support import said
from test_svm import sums

HERE = Path(__file__).with_name("openmp")
LIBRARY = paths.ROOT / "user" / "openmp"
PROGRAMS = ("regions", "works", "tasks", "more", "waves", "sums", "cancels")
SETTINGS = {"cancels": ["OMP_CANCELLATION=true"]}
CHOSEN = (0, 5, 17, 30, 47)
# The board's memory (board/scc.h): a program's words; svm/'s; MPBT lines and pages.
WORDS = (SHARED_AT + 0x200000, SHARED_AT + 0x210000)
SVM = (SHARED_AT + 0x400000, SHARED_AT + 0x4FF000)
PAGES = (SHARED_AT + 0x4FF000, SHARED_AT + 0x1000000)


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="session")
def tree() -> Path:
    return toolchain(lambda _text: None, OPENMP)


def compiled(source: Path, tree: Path, folder: Path, *words: str) -> Path:
    made = folder / f"{source.stem}.elf"
    own = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", *words, str(source), "-o", str(made), "-lm"]
    assert compile_program(own, tree, OPENMP) == 0
    return made


def system(name: str, program: Path, cores: tuple[int, ...] = CHOSEN, *arguments: str) -> dict[str, Any]:
    native = {"kind": "native", "program": str(program), "arguments": [name, *arguments], "ues": list(cores), "memory": "4M"}
    return {"system": f"openmp-{name}", "board": "scc", "domains": {name: native}}


def checks(out: Path) -> list[str]:
    flags = [f"flag={low:x}:{end:x}" for low, end in (WORDS, SVM)]
    return coherence.options(out, "line=32", f"mpbt={PAGES[0]:x}:{PAGES[1]:x}", *flags)


def reports(out: Path, program: Path) -> str:
    """What the checker found, for a failure's message: kinds with functions of the program, which lies at 0x90000000."""
    found, names = coherence.read(out), Names([program])
    return "\n".join(
        f"{r.what} x{r.count}: core {r.core} {names.place(r.pc - 0x90000000)} at {r.address:x}, "
        f"core {r.other} {names.place(r.other_pc - 0x90000000)}"
        for r in found.reports
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("cores", [(0,), CHOSEN], ids=["one", "five"])
def test_constructs_do_what_they_should(boot: Any, tree: Path, tmp_path: Path, name: str, cores: tuple[int, ...]) -> None:
    program = compiled(HERE / f"{name}.c", tree, tmp_path)
    assert newer(program, 1000) == []
    with boot(system(name, program, cores, *SETTINGS.get(name, [])), icount=True, chosen=cores) as board:
        line = said(board, name, rf"{name} on {len(cores)} threads: 0 wrong(?:, (\d+) threads ran some)?")
        assert line[1] is None or int(line[1]) == len(cores)
        said(board, "kernel", rf"^domain {name}: done: exit status 0")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_checker_reports_nothing(boot: Any, tree: Path, tmp_path: Path, name: str) -> None:
    program, out, cores = compiled(HERE / f"{name}.c", tree, tmp_path), tmp_path / "coherence.txt", (0, 1, 2)
    with boot(system(name, program, cores, *SETTINGS.get(name, [])), icount=True, chosen=cores, extra=checks(out)) as board:
        said(board, name, rf"{name} on 3 threads: 0 wrong")
        said(board, "kernel", rf"^domain {name}: done: exit status 0")
    found = coherence.read(out)
    assert found.kinds() == {}, reports(out, program)
    assert found.accesses > 10000


@pytest.mark.parametrize(
    ("settings", "pattern", "status"),
    [
        (["OMP_NUM_THREADS=2", "OMP_CANCELLATION=FALSE", "last"], "2 threads, as 2 of 2 say, 0, 2 words, last", 0),
        (["OMP_NUM_THREADS=0"], "openmp: OMP_CANCELLATION is true or false, OMP_NUM_THREADS a number", 1),
        (["OMP_CANCELLATION=yes"], "openmp: OMP_CANCELLATION is true or false, OMP_NUM_THREADS a number", 1),
        (["OMP_PLACES=cores"], "openmp: OMP_CANCELLATION is true or false, OMP_NUM_THREADS a number", 1),
    ],
)
def test_settings_are_the_first_arguments(boot: Any, tree: Path, tmp_path: Path, settings: list[str], pattern: str, status: int) -> None:
    source = tmp_path / "settings.c"
    source.write_text(
        "#include <omp.h>\n#include <stdio.h>\nint main(int argc, char **argv)\n{\n    int most = omp_get_max_threads(), say = 0, all = 0;\n"
        "#pragma omp parallel reduction(+ : say, all)\n    say += omp_get_max_threads() == most, all++;\n"
        '    printf("%d threads, as %d of %d say, %d, %d words, %s\\n", most, say, all, omp_get_cancellation(), argc, argv[argc - 1]);\n'
        "    return 0;\n}\n",
        encoding="utf-8",
    )
    cores = CHOSEN[:3]
    with boot(system("settings", compiled(source, tree, tmp_path), cores, *settings), icount=True, chosen=cores) as board:
        said(board, "settings", pattern)
        said(board, "kernel", f"^domain settings: done: exit status {status}")


def mutant(tree: Path, folder: Path, source: Path, function: str, body: str) -> Path:
    """A program whose runtime lacks what one function of openmp.h does."""
    library = folder / "library"
    shutil.copytree(LIBRARY, library)
    text = (library / "openmp.h").read_text(encoding="utf-8")
    line = f"static inline void {function}(void) {{ {body} }}\n"
    assert text.count(line) == 1
    (library / "openmp.h").write_text(text.replace(line, f"static inline void {function}(void) {{}}\n"), encoding="utf-8")
    headers = [f"-I{library}", *rcce.kernel_words(folder / "headers", OPENMP)]
    return compiled(source, tree, folder, *headers, "-fwrapv", *map(str, sorted(library.glob("*.c"))))


@pytest.mark.parametrize(
    ("function", "body", "report"),
    [
        ("omp_acquire", "mpbt_invalidate();", "stale"),
        ("omp_release", "mpbt_drain(omp_self.calls->line);", "unordered"),
    ],
)
def test_the_checker_finds_what_is_taken_out(boot: Any, tree: Path, tmp_path: Path, function: str, body: str, report: str) -> None:
    """The emulator's memory is coherent, so the program itself finds nothing wrong."""
    program, out, cores = mutant(tree, tmp_path, HERE / "regions.c", function, body), tmp_path / "coherence.txt", (0, 1, 2)
    with boot(system("mutant", program, cores), icount=True, chosen=cores, extra=checks(out)) as board:
        said(board, "mutant", r"regions on 3 threads: 0 wrong")
    assert report in coherence.read(out).kinds()


def test_jacobi_on_48_cores_is_equal_to_the_bit(boot: Any) -> None:
    with boot("openmp", icount=True) as board:
        line = said(board, "heat", r"heat: 10 iterations of 480 rows on 48 threads: sums (\w+ \w+)")
    assert line[1] == sums()


def threads_source(folder: Path, inside: str) -> Path:
    """A program whose threads execute `inside`, each with its number in `n`; deep() needs more stack than there is."""
    path = folder / "threads.c"
    path.write_text(
        "#include <assert.h>\n#include <omp.h>\n#include <stdio.h>\n"
        "__attribute__((unused)) static int deep(int n)\n{\n    volatile char a[4096];\n    a[0] = (char)n;\n"
        "    return n > 1000000 ? 0 : deep(n + 1) + a[0];\n}\n"
        "int main(void)\n{\n#pragma omp parallel\n    {\n        volatile int n = omp_get_thread_num();\n"
        f"        {inside}\n    }}\n    return 0;\n}}\n",
        encoding="utf-8",
    )
    return path


ENDS = {  # what the last of three threads does, and what is said of it
    "assertion": ("assert(!n);", 'core 17: assertion "!n" failed: .*\\n(?:.*\\n)*.*core 17: .*domain ends: fault: invalid opcode'),
    "pointer": ("*(volatile int *)0x40000000 = n;", "core 17: .*domain ends: fault: page fault"),
    "recursion": ("deep(n);", "core 17: .*FAULT: double fault"),
}


@pytest.mark.parametrize("what", ENDS)
def test_a_thread_that_ends_alone_ends_the_program(boot: Any, tree: Path, tmp_path: Path, what: str) -> None:
    """The others wait for it in a barrier."""
    body, pattern = ENDS[what]
    source = threads_source(tmp_path, f"if (n == 2) {{\n            {body}\n        }}")
    cores = CHOSEN[:3]
    with boot(system("ends", compiled(source, tree, tmp_path), cores), icount=True, chosen=cores) as board:
        said(board, "ends", "openmp: a thread has ended without the program: the others end, too")
        said(board, "kernel", "^domain ends: done: exit status 125")
        said(board, "kernel", pattern)


DEATHS = {  # what the second of three threads does, and how its kernel dies
    "reset": ("for (;;)\n                omp_get_wtime();", "reset 5"),
    "no answer": ('__asm__ volatile("cli; 1: hlt; jmp 1b");', ""),
}


@pytest.mark.parametrize("how", DEATHS)
def test_a_dead_kernel_ends_the_program_on_the_other_cores(boot: Any, tree: Path, tmp_path: Path, how: str) -> None:
    """The others wait in a barrier. One is told by who resets it, or by its heartbeat."""
    body, line = DEATHS[how]
    source = threads_source(
        tmp_path, f'if (n == 0)\n            printf("begun\\n");\n        if (n == 1) {{\n            {body}\n        }}'
    )
    cores = (0, 5, 17)
    with boot(system("dies", compiled(source, tree, tmp_path), cores), chosen=cores) as board:
        said(board, "dies", "begun")
        if line:
            command(board, line)
        said(board, "dies", "openmp: the kernel of core 5 is dead: the program ends here, too")
        said(board, "kernel", "^domain dies: done: exit status 125")
        said(board, "kernel", "core 17: .*openmp: the kernel of core 5 is dead")
        said(board, "kernel", "core 17: .*domain dies: done: exit status 125")


def source_of(folder: Path, body: str) -> Path:
    path = folder / "source.c"
    path.write_text(
        f"int word;\n__attribute__((noipa)) static int work(void)\n{{\n{body}\n}}\nint main(void)\n{{\n    return work();\n}}\n"
    )
    return path


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("return __sync_fetch_and_add(&word, 1);", "lock xadd"),
        ('__asm__ volatile("lock incl word"); return 0;', "lock incl"),
        ("return __sync_lock_test_and_set(&word, 1);", "xchg"),
    ],
)
def test_other_locked_instructions_are_refused(tree: Path, tmp_path: Path, body: str, text: str) -> None:
    with pytest.raises(UserError, match=rf"it has a locked instruction at 0x[0-9a-f]+ in work: {text}"):
        compiled(source_of(tmp_path, body), tree, tmp_path)
    assert not (tmp_path / "source.elf").exists()


def test_more_thread_local_variables_than_a_stack_holds_are_refused(images: Any, tree: Path, tmp_path: Path) -> None:
    source = tmp_path / "large.c"
    text = "static double own[{0}];\n#pragma omp threadprivate(own)\nint main(void)\n{{\n    own[5] = 1;\n    return (int)own[7];\n}}\n"
    source.write_text(text.format(2000), encoding="utf-8")
    compiled(source, tree, tmp_path)
    source.write_text(text.format(7000), encoding="utf-8")
    made = compiled(source, tree, tmp_path)
    images.get(stacked := with_stack(system("large", made), "128K"))
    stacked["domains"]["large"]["stack"] = "64K"
    with pytest.raises(
        UserError,
        match="the 56[0-9]{3} bytes of thread-local variables of .* take more than three quarters of a stack of 64K(.|\n)*say 'stack: 80K'",
    ):
        images.get(stacked)
    source.write_text(text.format(250_000), encoding="utf-8")
    with pytest.raises(UserError, match="its thread-local variables are 200[0-9]{4} bytes, and the largest stack has room for 1572864"):
        compiled(source, tree, tmp_path)


def with_stack(made: dict[str, Any], size: str) -> dict[str, Any]:
    for domain in made["domains"].values():
        domain["stack"] = size
    return made


def test_stacks_are_as_large_as_the_system_says(boot: Any, tree: Path, tmp_path: Path) -> None:
    """Each thread writes 900 KiB of its own at the same time, and finds them. Less of a stack ends one whose last page is not another one's."""
    source = tmp_path / "stacks.c"
    source.write_text(
        "#include <omp.h>\n#include <stdio.h>\n#include <string.h>\n"
        "__attribute__((noipa)) static int fill(int n)\n{\n    volatile char own[900 * 1024];\n    int wrong = 0;\n"
        "    for (unsigned i = 0; i < sizeof(own); i += 64)\n        own[i] = (char)(n + 1);\n#pragma omp barrier\n"
        "    for (unsigned i = 0; i < sizeof(own); i += 64)\n        wrong += own[i] != n + 1;\n    return wrong;\n}\n"
        "int main(void)\n{\n    int wrong = 0;\n#pragma omp parallel reduction(+ : wrong)\n    wrong = fill(omp_get_thread_num());\n"
        '    printf("stacks: %d wrong\\n", wrong);\n    return 0;\n}\n',
        encoding="utf-8",
    )
    cores = CHOSEN[:3]
    made = system("stacks", compiled(source, tree, tmp_path), cores)
    with boot(with_stack(made, "1M"), icount=True, chosen=cores) as board:
        said(board, "stacks", "stacks: 0 wrong")
    with boot(with_stack(made, "512K"), icount=True, chosen=cores) as board:
        said(board, "kernel", "core 17: .*FAULT: double fault")


def test_a_push_below_a_stack_writes_to_no_other_stack(boot: Any, tree: Path, tmp_path: Path) -> None:
    """The thread has used its neighbour's stack: only the page between them stops it. The neighbour looks at what it wrote there."""
    source = tmp_path / "below.c"
    source.write_text(
        "#include <omp.h>\n#include <stdio.h>\n#include <string.h>\nstatic volatile char *top, *end;\nstatic _Thread_local volatile char last;\n"
        "__attribute__((noipa)) static int deep(int n)\n{\n    volatile char a[256];\n    a[0] = (char)n;\n"
        "    return n > 1000000 ? 0 : deep(n + 1) + a[0];\n}\n"
        "int main(void)\n{\n    volatile char mine[3 * 4096];\n    int wrong = 0;\n    top = mine;\n    end = &last;\n    memset((void *)mine, 7, sizeof(mine));\n"
        "#pragma omp parallel\n    {\n        volatile int n = omp_get_thread_num();\n"
        "        if (n == 1) {\n            for (volatile char *at = top; at <= end; at += 64)\n                (void)*at;\n"
        '            printf("touched\\n");\n            deep(0);\n        }\n'
        "        for (int i = 0; !n && i < 300; i++)\n            for (unsigned j = 0; j < sizeof(mine); j++)\n                wrong += mine[j] != 7;\n"
        '        if (!n)\n            printf("below: %d wrong\\n", wrong);\n    }\n    return 0;\n}\n',
        encoding="utf-8",
    )
    cores = CHOSEN[:2]
    with boot(system("below", compiled(source, tree, tmp_path), cores), icount=True, chosen=cores) as board:
        said(board, "kernel", "core 5: .*touched")
        said(board, "kernel", "core 5: .*FAULT: double fault")
        said(board, "below", "below: 0 wrong", 20)


def test_a_frame_that_reaches_over_a_stack_writes_nowhere(boot: Any, tree: Path, tmp_path: Path) -> None:
    """A thread with 64 KiB of stack stores to the far end of 96 KiB, which is inside the next stack, mapped by a look at it."""
    inside = (
        "static volatile char *other;\n        if (!n)\n            other = (char *)__builtin_frame_address(0);\n"
        "#pragma omp barrier\n        for (int i = 0; n == 1 && i < 15; i++)\n            (void)other[-4096 * i];\n"
        '        if (n == 1)\n            printf("far: %d\\n", far(n));'
    )
    source = threads_source(tmp_path, inside)
    text = source.read_text(encoding="utf-8")
    far = (
        "__attribute__((noipa)) static int far(int n)\n{\n    volatile char own[96 * 1024];\n    own[0] = (char)n;\n    return own[0];\n}\n"
    )
    source.write_text(text.replace("int main", far + "int main"), encoding="utf-8")
    cores = CHOSEN[:2]
    with boot(system("far", compiled(source, tree, tmp_path), cores), icount=True, chosen=cores) as board:
        said(board, "kernel", "core 5: .*domain far: fault: double fault")
        assert "far: 1" not in board.kernel.text


def test_a_frame_that_no_stack_holds_is_refused(tree: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for bytes_, made in ((STACK_MOST - 64, 0), (STACK_MOST + 64, 1)):
        source = source_of(tmp_path, f"    volatile char own[{bytes_}];\n    own[word] = 1;\n    return own[word];")
        words = ["-O2", str(source), "-o", str(tmp_path / "frame.elf")]
        assert compile_program(words, tree, OPENMP) == made
    assert f"is larger than {STACK_MOST} bytes" in capfd.readouterr().err


def test_flushes_are_calls_and_no_code_uses_gs(tree: Path, tmp_path: Path) -> None:
    code = list(instructions(compiled(HERE / "regions.c", tree, tmp_path)))
    calls = [i for i in code if i.text.startswith("call") and i.text.endswith("<omp_flush_here>")]
    assert len(calls) == 2
    assert not [i for i in code if i.code == FLUSH or "%gs" in i.text]
    assert any("%fs:" in i.text for i in code)
