# SPDX-License-Identifier: MIT
"""What POSIX threads have beside mutexes and conditions, as a program of a process sees it (process_runner.c): tests/unit/test_user_*.c
try the same functions on the host."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from amalgam import paths

Done = subprocess.CompletedProcess


def compiled(folder: Path, text: str) -> Path:
    (folder / "main.c").write_text(text, encoding="utf-8")
    command = [paths.ROOT / "amalgam", "cc", "-Wall", "-Wextra", "-Werror", "-O2", folder / "main.c", "-o", folder / "program"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


KEYS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_key_t key;
static void destroy(void *value) { printf("destroyed %s\n", (char *)value); }
static void *run(void *name)
{
    if (pthread_getspecific(key))
        puts("a value of another thread");
    pthread_setspecific(key, name);
    return NULL;
}
int main(void)
{
    pthread_t thread[3];
    pthread_attr_t attr;
    char *names[] = { "a", "b", "c" };
    pthread_key_create(&key, destroy);
    pthread_attr_init(&attr);
    pthread_attr_setqueued_np(&attr, 1);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&thread[i], &attr, run, names[i]))
            puts("no thread");
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    pthread_setspecific(key, "what exit destroys");
    exit(0);
}
"""


def test_destructors_run_for_queued_threads_and_not_at_exit(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(compiled(tmp_path, KEYS), "program", threads=2)
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, ["destroyed a", "destroyed b", "destroyed c"]), done


LAST = r"""
#include <pthread.h>
#include <stdio.h>
static void destroy(void *value) { puts(value); }
static void clean(void *value) { puts(value); }
int main(void)
{
    pthread_key_t key;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, "destroyed");
    pthread_cleanup_push(clean, "cleaned");
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
}
"""


def test_the_first_thread_destroys_its_values_by_pthread_exit(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(compiled(tmp_path, LAST), "program")
    assert (done.returncode, done.stdout) == (0, "cleaned\ndestroyed\n"), done


NAMES = r"""
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
static void tell(pthread_t thread)
{
    char name[PTHREAD_NAME_MAX];
    printf("'%s'\n", pthread_getname_np(thread, name, sizeof name) ? "error" : name);
}
static void *run(void *creator)
{
    tell(creator);
    tell(pthread_self());
    pthread_setname_np(pthread_self(), "worker");
    pthread_setname_np(creator, "renamed");
    tell(pthread_self());
    return NULL;
}
int main(void)
{
    pthread_t thread;
    char small[PTHREAD_NAME_MAX - 1];
    pthread_setname_np(pthread_self(), "first");
    pthread_create(&thread, NULL, run, pthread_self());
    pthread_join(thread, NULL);
    tell(pthread_self());
    return pthread_setname_np(pthread_self(), "0123456789abcdef") != ERANGE || pthread_getname_np(thread, small, sizeof small) != ERANGE;
}
"""


def test_threads_have_names(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(compiled(tmp_path, NAMES), "program", threads=2)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["'first'", "''", "'worker'", "'renamed'"]), done
