# SPDX-License-Identifier: MIT
"""What of the C library is the whole process's and not a thread's: programs on this machine's Linux, with process_runner.c in the
kernel's place."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from amalgam.paths import ROOT

Done = subprocess.CompletedProcess


def made(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    command = [ROOT / "amalgam", "cc", "-Wall", "-Wextra", "-Werror", "-O2", folder / name, "-o", folder / "program"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


WIDE = """
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static int handled;
static void handle(int number) { handled += number == SIGUSR1; }
static void *next(void *to) { *(int *)to = rand(); return NULL; }
static void *send(void *unused) { raise(SIGUSR1); return unused; }
static void last(void) { puts("registered by a thread"); }
static void *end(void *unused) { atexit(last); return unused; }
int main(void)
{
    pthread_t t;
    int all[4], again[4];
    srand(12345);
    for (int i = 0; i < 4; i++)
        all[i] = rand();
    srand(12345);
    for (int i = 0; i < 4; i++) {
        pthread_create(&t, NULL, next, &again[i]);
        pthread_join(t, NULL);
    }
    for (int i = 0; i < 4; i++)
        printf("%d", all[i] == again[i]);
    signal(SIGUSR1, handle);
    pthread_create(&t, NULL, send, NULL);
    pthread_join(t, NULL);
    printf(" %d", signal(SIGKILL, handle) == SIG_ERR && signal(SIGSTOP, SIG_IGN) == SIG_ERR && raise(NSIG) == -1);
    printf(" %d %d\\n", handled, signal(SIGUSR1, SIG_IGN) == handle);
    raise(SIGUSR1);
    pthread_create(&t, NULL, end, NULL);
    pthread_join(t, NULL);
    return 0;
}
"""


def test_random_numbers_handlers_and_atexit_are_the_processs(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(made(tmp_path, "main.c", WIDE), "program", threads=2)
    assert (done.returncode, done.stdout) == (0, "1111 1 1 1\nregistered by a thread\n"), done


IGNORED = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int signals[] = { SIGCHLD, SIGURG, SIGCONT, SIGWINCH }, ignored = 0;
    for (int i = 0; i < 4; i++)
        ignored += !raise(signals[i]) + !kill(getpid(), signals[i]);
    printf("%d ignored\\n", ignored);
    raise(SIGUSR1);
}
"""


def test_signals_that_are_ignored_by_default_end_nobody(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(made(tmp_path, "main.c", IGNORED), "program")
    assert (done.returncode, done.stdout) == (-4, "8 ignored\n"), done


ENDS = """
#include <stdio.h>
#include <stdlib.h>
static int called, wrong, in_between;
static void more(void) { in_between++; }
static void one(void)
{
    if (called++ == 500)
        atexit(more); /* called next */
    wrong += in_between != (called > 501);
}
static void tell(void) { printf("%d called, %d wrong\\n", called, wrong); }
int main(void)
{
    int registered = 0;
    atexit(tell);
    for (int i = 0; i < 1000; i++)
        registered += !atexit(one);
    printf("%d registered\\n", registered);
    while (!atexit(one))
        registered++;
    return registered < 2000;
}
"""


def test_atexit_has_no_end_but_memory(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(
        made(tmp_path, "main.c", ENDS.replace("    while (!atexit(one))\n        registered++;\n    return registered < 2000;\n", "")), "p"
    )
    assert (done.returncode, done.stdout) == (0, "1000 registered\n1000 called, 0 wrong\n"), done
    done = process(made(tmp_path, "main.c", ENDS), "p")
    assert done.returncode == 0 and "called, 0 wrong\n" in done.stdout, done


STATICS = """
extern "C" int printf(const char *, ...);
static int made, gone;
struct S { S() { made++; } ~S() { gone++; } };
struct Last { ~Last() { printf("made %d, destroyed %d\\n", made, gone); } } last;
#define TEN(a) static S a##0, a##1, a##2, a##3, a##4, a##5, a##6, a##7, a##8, a##9;
TEN(a) TEN(b) TEN(c) TEN(d)
int main() { return 0; }
"""


def test_all_statics_of_a_cpp_program_are_destroyed(process: Callable[..., Done], tmp_path: Path) -> None:
    assert process(made(tmp_path, "main.cc", STATICS), "program").stdout == "made 40, destroyed 40\n"
