# SPDX-License-Identifier: MIT
"""What POSIX threads have beside mutexes and conditions, as a program of a process sees it (process_runner.c): tests/unit/test_user_*.c
try the same functions on the host."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from amalgam import paths
from amalgam.build import programs

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


C11 = r"""
#include <stdio.h>
#include <string.h>
#include <threads.h>
static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s\n", __LINE__, #what); } while (0)
static mtx_t mutex, recursive;
static cnd_t condition;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static thread_local int own = 7;
static int made, destroyed, turn;
static void make(void) { made++; }
static void destroy(void *value) { destroyed += *(int *)value; }
static int run(void *arg)
{
    int one = 1;
    call_once(&once, make);
    MUST(own == 7 && (own = 8) && tss_get(key) == NULL && tss_set(key, &one) == thrd_success && tss_get(key) == &one);
    MUST(mtx_trylock(&mutex) == thrd_busy);
    mtx_lock(&mutex);
    while (!turn)
        cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    if (arg)
        thrd_exit(-5);
    tss_delete(key);
    return thrd_equal(thrd_current(), thrd_current()) ? -6 : 0;
}
int main(void)
{
    struct timespec now, bad = { 0, -1 }, none = { 0, 0 };
    thrd_t thread;
    int result;
    MUST(mtx_init(&mutex, mtx_timed) == thrd_success && mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    MUST(mtx_init(&mutex, 77) == thrd_error && cnd_init(&condition) == thrd_success);
    MUST(tss_create(&key, destroy) == thrd_success && TSS_DTOR_ITERATIONS > 0);
    MUST(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
    MUST(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_error);
    mtx_lock(&mutex);
    timespec_get(&now, TIME_UTC);
    MUST(mtx_timedlock(&mutex, &now) == thrd_timedout && cnd_timedwait(&condition, &mutex, &now) == thrd_timedout);
    for (int i = 0; i < 2; i++) {
        int one = 0;
        turn = 0;
        MUST(thrd_create(&thread, run, i ? NULL : &one) == thrd_success);
        thrd_sleep(&(struct timespec){ 0, 20000000 }, NULL);
        turn = 1;
        mtx_unlock(&mutex);
        MUST((i ? cnd_signal : cnd_broadcast)(&condition) == thrd_success);
        MUST(thrd_join(thread, &result) == thrd_success && result == -5 - i);
        mtx_lock(&mutex);
    }
    MUST(made == 1 && own == 7 && destroyed == 1 && thrd_join(thread, NULL) == thrd_error);
    MUST(thrd_sleep(&none, NULL) == 0 && thrd_sleep(&bad, NULL) == -2);
    return wrong;
}
"""


def test_threads_of_c11(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(compiled(tmp_path, C11), "program", threads=2)
    assert (done.returncode, done.stdout) == (0, ""), done


PLACES = r"""
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s\n", __LINE__, #what); } while (0)
int main(void)
{
    struct sched_param p = { .sched_priority = 5 };
    pthread_attr_t attr;
    int policy = -1;
    MUST(sched_get_priority_min(SCHED_RR) == 0 && sched_get_priority_max(SCHED_OTHER) == 0);
    MUST(sched_get_priority_max(77) == -1 && errno == EINVAL);
    MUST(sched_getscheduler(getpid()) == SCHED_OTHER && sched_getparam(0, &p) == 0 && p.sched_priority == 0);
    MUST(sched_getscheduler(getpid() + 1) == -1 && errno == ESRCH);
    MUST(pthread_getschedparam(pthread_self(), &policy, &p) == 0 && policy == SCHED_OTHER);
    MUST(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p) == 0 && pthread_setschedparam(pthread_self(), SCHED_RR, &p) == ENOTSUP);
    pthread_attr_init(&attr);
    MUST(pthread_attr_setschedpolicy(&attr, SCHED_FIFO) == ENOTSUP && pthread_attr_setschedpolicy(&attr, 77) == EINVAL);
    MUST(pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS) == ENOTSUP && pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0);
    p.sched_priority = 1;
    MUST(pthread_attr_setschedparam(&attr, &p) == ENOTSUP && pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    MUST(sysconf(_SC_BARRIERS) == 200809 && sysconf(_SC_THREAD_PRIORITY_SCHEDULING) == -1 && sysconf(_SC_THREAD_KEYS_MAX) == 128);
    return wrong;
}
"""


def test_there_is_one_priority(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(compiled(tmp_path, PLACES), "program")
    assert (done.returncode, done.stdout) == (0, ""), done


def test_all_objects_at_once_keep_their_promises(process: Callable[..., Done]) -> None:
    program = programs.make_program("sync", lambda _text: None)
    done = process(program, "sync", "100000", "8", threads=10, memory=1024)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["sync: right"]), done


FREE = r"""
#include <amalgam/calls.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
int main(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_barrier_t alone;
    pthread_spinlock_t spin;
    pthread_key_t key;
    sem_t semaphore;
    int64_t before = amalgam_info(0x100);
    sem_init(&semaphore, 0, 1);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&alone, NULL, 1);
    for (int i = 0; i < 1000; i++) {
        sem_wait(&semaphore);
        sem_post(&semaphore);
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        pthread_rwlock_unlock(&lock);
        pthread_spin_lock(&spin);
        pthread_spin_unlock(&spin);
        pthread_barrier_wait(&alone);
        pthread_key_create(&key, NULL);
        pthread_setspecific(key, &key);
        pthread_key_delete(key);
    }
    printf("%d\n", (int)(amalgam_info(0x100) - before - 1));
}
"""


def test_objects_that_are_free_take_no_call(process: Callable[..., Done], tmp_path: Path) -> None:
    """process_runner.c counts the calls: its own field 0x100."""
    assert process(compiled(tmp_path, FREE), "program").stdout == "0\n"
