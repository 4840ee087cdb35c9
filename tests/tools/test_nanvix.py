# SPDX-License-Identifier: MIT
"""libnanvix and ulibc (user/nanvix): their programs on this machine's Linux, with process_runner.c in the kernel's place, and what
docs/nanvix.md lists."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.paths import ROOT

QUIET = lambda _text: None  # noqa: E731
Done = subprocess.CompletedProcess
HEADERS = ROOT / "user/nanvix/include/nanvix"
WAYS = ("nanvix-", "nanvix_spin-")
ENDS = {"threads": 3, "locks": 0, "ulibc": 4, "pages": 0, "clusters": 0}  # the program's last words are "NAME: right"


def cc(*words: object) -> Done:
    return subprocess.run([ROOT / "amalgam", "cc", *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ENDS)
def test_calls_do_what_they_promise(process: Callable[..., Done], name: str, way: str) -> None:
    done = process(programs.make_program(way + name, QUIET), name, "all", memory=512, threads=15)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (ENDS[name], [f"{name}: right"]), done


BROKEN = [  # a lock, a wake-up or a semaphore that does nothing
    ("nanvix_mutex_lock(&mutex) == 0 && mutex.owner == kthread_self() && mutex.locked", "1"),
    ("nanvix_semaphore_down(&one) == 0);\n        count", "1);\n        count"),
    ("nanvix_fmutex_lock(&fast) == 0", "1"),
    ("fence(&round_fence);", ";"),
    ("MUST(nanvix_cond_signal(&cond) == 0);\n        while", "nanvix_cond_broadcast(&cond);\n        while"),
]


@pytest.mark.parametrize("broken", range(len(BROKEN)))
def test_the_check_of_locks_would_notice(process: Callable[..., Done], tmp_path: Path, broken: int) -> None:
    """The same program without one of them."""
    text = programs.source_of("nanvix-locks").read_text(encoding="utf-8")
    before, behind = BROKEN[broken]
    assert before in text
    text = text.replace('"../../../user', f'"{ROOT}/user')
    (tmp_path / "main.c").write_text(text.replace(before, behind), encoding="utf-8")
    assert cc("--nanvix", "-w", tmp_path / "main.c", "-o", tmp_path / "program").returncode == 0
    done = process(tmp_path / "program", "locks", memory=512, threads=15)
    assert "WRONG: " in done.stdout, done


LONGS = """
#include <nanvix/ulib.h>
int __main2(int argc, const char *argv[])
{
    char text[100];
    (void)argv;
    uprintf("portal;%d;%l;%l %ld|%lx|%lu|%%l", argc, 4000000000ul, 7ul, -3l, 255ul, 9ul);
    usnprintf(text, sizeof text, "%l%l", 1ul, 2ul);
    uprintf("%s", text);
    usprintf(text, "%l", 3ul);
    uprintf("%s", text);
    return 0;
}
"""


def test_a_bare_l_of_a_format_is_an_unsigned_long(process: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(LONGS, encoding="utf-8")
    made = cc("--nanvix", "-w", tmp_path / "main.c", "-o", tmp_path / "program")
    assert made.returncode == 0, made.stderr
    done = process(tmp_path / "program", "longs", memory=512, threads=15)
    assert done.stdout == "portal;1;4000000000;7 -3|ff|9|%l\n12\n3\n"


OVERFLOW = """
#include <nanvix/sys/noc.h>
#include <nanvix/sys/thread.h>
#include <nanvix/ulib.h>
static int __attribute__((noinline)) deep(int n)
{
    volatile char frame[1024];
    for (int i = 0; i < 1024; i++)
        frame[i] = (char)n;
    return n ? deep(n - 1) + frame[5] : frame[7];
}
static void *overflow(void *kib) { return deep((int)(long)kib) ? NULL : NULL; }
void ___start(int argc, const char *argv[], char **envp)
{
    kthread_t thread;
    (void)argc, (void)argv, (void)envp;
    for (long kib = 4; kib <= 12; kib += 8) {
        kthread_create(&thread, overflow, (void *)kib);
        kthread_join(thread, NULL);
        uprintf("%d KiB", (int)kib);
    }
}
"""


def test_a_thread_of_nanvix_that_overflows_its_stack_faults(process: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(OVERFLOW, encoding="utf-8")
    made = cc("--nanvix", "-O1", tmp_path / "main.c", "-o", tmp_path / "program")
    assert made.returncode == 0, made.stderr
    done = process(tmp_path / "program", "program", memory=256, threads=2)
    assert (done.returncode, done.stdout.splitlines()) == (-11, ["4 KiB"]), done


@pytest.mark.parametrize(("word", "says"), [("assert", "assertion failed: argc == 0, file "), ("panic", "[nanvix] PANIC: as it was asked")])
def test_an_assertion_of_ulibc_is_a_fault_and_says_where(process: Callable[..., Done], word: str, says: str) -> None:
    done = process(programs.make_program("nanvix-ulibc", QUIET), "ulibc", word, memory=512)
    assert done.returncode == -4 and says in done.stdout, done  # SIGILL


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "words"), [("kcall", ["2"]), ("fork-join", ["3"]), ("buffer", ["3", "2"]), ("noise", ["2"])])
def test_nanvix_benchmarks_come_to_their_end(process: Callable[..., Done], name: str, words: list[str], way: str) -> None:
    """Figures are of a board; `buffer` also checks what arrives."""
    done = process(programs.make_program(way + name, QUIET), name, *words, memory=1024, threads=15)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, [f"{name}: done"]), done


UNCHANGED = """
#include <nanvix/sys/thread.h>
#include <nanvix/sys/dev.h>
#include <nanvix/sys/noc.h>
#include <posix/errno.h>

PRIVATE spinlock_t lock = SPINLOCK_UNLOCKED;
PRIVATE word_t data[PAGE_SIZE / WORD_SIZE] ALIGN(CACHE_LINE_SIZE);

size_t strlen(const char *text) /* a program of Nanvix has no C library, and brings its own */
{
    size_t n;
    for (n = 0; text[n] != '\\0'; n++)
        /* noop */;
    return (n);
}

PRIVATE void *task(void *arg)
{
    UNUSED(arg);
    spinlock_lock(&lock);
    kmemset(data, 1, PAGE_SIZE);
    spinlock_unlock(&lock);
    return (NULL);
}

void ___start(int argc, const char *argv[])
{
    kthread_t tids[THREAD_MAX - 1];
    const char *text = "all joined";

    UNUSED(argc);
    UNUSED(argv);
    knoc_init();
    for (int i = 0; i < THREAD_MAX - 1; i++)
        KASSERT(kthread_create(&tids[i], task, NULL) == 0);
    for (int i = 0; i < THREAD_MAX - 1; i++)
        KASSERT(kthread_join(tids[i], NULL) == 0);
    if (kthread_join(-1, NULL) < 0)
        nanvix_write(0, text, (errno == EINVAL) ? strlen(text) : 0);
    kshutdown();
    UNREACHABLE();
}
"""


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("way", ["--nanvix", "--nanvix=spin"])
def test_a_program_in_nanvix_own_style_compiles_as_nanvix_compiles_it(
    process: Callable[..., Done], tmp_path: Path, way: str, machine: str
) -> None:
    programs.toolchain(QUIET, MACHINES[machine])  # who makes it says so
    (tmp_path / "main.c").write_text(UNCHANGED, encoding="utf-8")
    words = [
        "--machine",
        machine,
        "-std=c99",
        "-fno-builtin",
        "-O3",
        "-Wall",
        "-Wextra",
        "-Werror",
        tmp_path / "main.c",
        "-o",
        tmp_path / "program",
    ]
    done = cc(way, *words)
    assert (done.returncode, done.stderr) == (0, "")
    if machine == "x86_64":
        assert process(tmp_path / "program", "init", memory=512, threads=15).stdout == "all joined\n"


def test_without_nanvix_its_headers_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(UNCHANGED, encoding="utf-8")
    assert "nanvix/sys/thread.h: No such file" in cc(tmp_path / "main.c", "-o", tmp_path / "program").stderr
    done = cc("--nanvix=asleep", tmp_path / "main.c", "-o", tmp_path / "program")
    assert done.returncode == 2 and "--nanvix, --nanvix=spin" in done.stderr


def test_a_free_mutex_or_semaphore_of_nanvix_is_taken_without_a_call(process: Callable[..., Done], tmp_path: Path) -> None:
    """process_runner.c counts the calls: its own field 0x100. So many cost the local call of kcall0()."""
    text = """
#include <nanvix/sys/mutex.h>
#include <nanvix/sys/semaphore.h>
#include <nanvix/ulib.h>
void ___start(int argc, const char *argv[])
{
    struct nanvix_mutex m;
    struct nanvix_semaphore s;
    UNUSED(argc), UNUSED(argv);
    nanvix_mutex_init(&m, NULL);
    nanvix_semaphore_init(&s, 1);
    int64_t before = amalgam_info(0x100);
    for (int i = 0; i < 1000; i++) {
        nanvix_mutex_lock(&m);
        nanvix_mutex_unlock(&m);
        nanvix_semaphore_down(&s);
        nanvix_semaphore_up(&s);
    }
    int64_t between = amalgam_info(0x100);
    for (int i = 0; i < 1000; i++)
        kcall0(NR_thread_get_id);
    uprintf("%d %d", (int)(between - before - 1), (int)(amalgam_info(0x100) - between - 1));
}
"""
    (tmp_path / "main.c").write_text(text, encoding="utf-8")
    assert cc("--nanvix", "-O2", tmp_path / "main.c", "-o", tmp_path / "program").returncode == 0
    assert process(tmp_path / "program", "program").stdout == "0 1000\n"


# --- the list of docs/nanvix.md ---------------------------------------------------------------------------------------------------

DECLARED = re.compile(r"^(?:extern|static inline) [\w *]*?\*?(\w+)\(", re.MULTILINE)


def declared() -> dict[str, set[str]]:
    """The functions of each header that programs include, without those that start with two underscores."""
    headers = [*HEADERS.glob("sys/*.h"), *HEADERS.glob("runtime/**/*.h"), HEADERS / "ulib.h"]
    found = {}
    for header in headers:
        text = header.read_text(encoding="utf-8")
        names = {*DECLARED.findall(text), *(re.findall(r"^#define (u\w+)\(", text, re.MULTILINE) if header.name == "ulib.h" else ())}
        found[header.relative_to(HEADERS).as_posix()] = {name for name in names if not name.startswith("_") or name == "_kexit"}
    return found


def listed(text: str) -> dict[str, set[str]]:
    """The functions of each row of the table of headers."""
    rows = re.findall(r"^\| `nanvix/([\w/]+\.h)` \| (.*?) \|", text, re.MULTILINE)
    return {header: set(re.findall(r"`(\w+)`", names)) for header, names in rows}


def test_the_document_lists_what_the_headers_declare() -> None:
    assert listed((ROOT / "docs/nanvix.md").read_text(encoding="utf-8")) == declared()
