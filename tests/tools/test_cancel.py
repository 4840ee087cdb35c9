# SPDX-License-Identifier: MIT
"""Threads that others cancel, and mutexes whose owner ends: on this machine's Linux (process_runner.c)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Done = subprocess.CompletedProcess
HEADERS = "#include <poll.h>\n#include <semaphore.h>\n#include <signal.h>\n#line 1"

POINTS = r"""
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t none, begun;
static pthread_t self_joined;
static int ends[2], cleaned;
static void clean(void *unused) { (void)unused; cleaned++; }
static void unlock(void *unused) { (void)unused; MUST(pthread_mutex_trylock(&m) == EBUSY && pthread_mutex_unlock(&m) == 0); }
static void *sleeper(void *unused) { pause_ms(300); return unused; }
static void wait_in(int which)
{
    char byte;
    sigset_t set;
    struct timespec far = { 1ll << 40, 0 };
    switch (which) {
    case 0: sem_wait(&none); break;
    case 1: sem_timedwait(&none, &far); break;
    case 2: pthread_mutex_lock(&m); pthread_cleanup_push(unlock, NULL); pthread_cond_wait(&c, &m); pthread_cleanup_pop(1); break;
    case 3: pthread_mutex_lock(&m); pthread_cleanup_push(unlock, NULL); pthread_cond_timedwait(&c, &m, &far); pthread_cleanup_pop(1); break;
    case 4: sleep(1000); break;
    case 5: read(ends[0], &byte, 1); break;
    case 6: poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, -1); break;
    case 7: pause(); break;
    case 8: sigemptyset(&set); sigaddset(&set, SIGUSR2); sigwait(&set, &which); break;
    case 9: pthread_join(self_joined, NULL); break;
    case 10: for (;;) pthread_testcancel();
    case 11: pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); sem_post(&begun); for (;;) ;
    }
}
static void *end_in(void *which)
{
    pthread_cleanup_push(clean, NULL);
    sem_post(&begun);
    wait_in((int)(intptr_t)which);
    MUST(0);
    pthread_cleanup_pop(0);
    return NULL;
}
int main(void)
{
    pthread_t t;
    void *result;
    MUST(pipe(ends) == 0 && sem_init(&none, 0, 0) == 0 && sem_init(&begun, 0, 0) == 0);
    pthread_create(&self_joined, NULL, sleeper, NULL);
    for (int which = 0; which < 12; which++)
        for (int late = 0; late < 2; late++) {
            if (pthread_create(&t, NULL, end_in, (void *)(intptr_t)which))
                return 9;
            sem_wait(&begun);
            if (which == 11)
                sem_wait(&begun);
            if (late)
                pause_ms(5); /* it sleeps by now */
            MUST(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
        }
    MUST(cleaned == 24 && pthread_mutex_trylock(&m) == 0);
    MUST(pthread_join(self_joined, &result) == 0 && !result); /* who was cancelled in a join has left it joinable */
    return wrong;
}
"""

STATES = r"""
static sem_t go, s;
static volatile int seen;
static void *disabled(void *unused)
{
    int old;
    (void)unused;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    MUST(old == PTHREAD_CANCEL_ENABLE && pthread_setcancelstate(7, NULL) == EINVAL);
    sem_post(&s);
    while (sem_wait(&go)) ;
    pause_ms(1);
    seen = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    seen = 2;
    sem_trywait(&s);
    while (sem_wait(&s)) ; /* one is there, and stays there */
    seen = 3;
    return NULL;
}
static void *oneself(void *unused) { pthread_cancel(pthread_self()); seen = 4; pthread_testcancel(); return unused; }
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void first(void) { if (!seen++) sem_wait(&go); }
static void *does_once(void *unused) { pthread_once(&once, first); return unused; }
static void handler(int signal) { (void)signal; seen++; pause_ms(30); seen++; }
static void *interrupted(void *unused) { sem_wait(&go); return unused; }
int main(void)
{
    pthread_t t;
    void *result;
    int n;
    sem_init(&go, 0, 0), sem_init(&s, 0, 0);
    pthread_create(&t, NULL, disabled, NULL);
    sem_wait(&s);
    MUST(pthread_cancel(t) == 0 && sem_post(&s) == 0 && sem_post(&s) == 0 && sem_post(&go) == 0);
    MUST(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && seen == 2 && sem_getvalue(&s, &n) == 0 && n == 1);
    pthread_create(&t, NULL, oneself, NULL);
    MUST(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && seen == 4);
    seen = 0;
    pthread_t other;
    pthread_create(&t, NULL, does_once, NULL);
    pause_ms(5);
    pthread_create(&other, NULL, does_once, NULL);
    pause_ms(5);
    MUST(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
    MUST(pthread_join(other, &result) == 0 && !result && seen == 2); /* it was done again */
    signal(SIGUSR1, handler); /* a handler in which there is a point */
    for (int i = 0; i < 3; i++) {
        seen = 0;
        pthread_create(&t, NULL, interrupted, NULL);
        pause_ms(5);
        pthread_kill(t, SIGUSR1);
        pause_ms(i * 5);
        MUST(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
    }
    return wrong;
}
"""

# Whoever is cancelled has taken nothing, and whoever has taken something is not cancelled by that.
STORM = r"""
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int there, taken;
static void unlock(void *unused) { (void)unused; pthread_mutex_unlock(&m); }
static void *by_semaphore(void *unused) { while (sem_wait(&s)) ; return unused; }
static void *by_condition(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, NULL);
    while (!there)
        pthread_cond_wait(&c, &m);
    there--, taken++;
    pthread_cleanup_pop(1);
    return unused;
}
int main(void)
{
    pthread_t t[3];
    void *result[3];
    int rounds = 300, left, cancelled = 0;
    sem_init(&s, 0, 0);
    for (int i = 0; i < rounds; i++) {
        for (int n = 0; n < 3; n++)
            pthread_create(&t[n], NULL, by_semaphore, NULL);
        for (volatile int spin = i * 37 % 4000; spin > 0; spin--) ;
        sem_post(&s);
        pthread_cancel(t[i % 3]);
        sem_post(&s);
        sem_post(&s);
        int ended = 0;
        for (int n = 0; n < 3; n++) {
            pthread_join(t[n], &result[n]);
            ended += result[n] == PTHREAD_CANCELED;
        }
        MUST(sem_getvalue(&s, &left) == 0 && left == ended && ended <= 1);
        while (left--)
            sem_wait(&s);
        cancelled += ended;
        there = taken = 0;
        for (int n = 0; n < 3; n++)
            pthread_create(&t[n], NULL, by_condition, NULL);
        for (volatile int spin = i * 53 % 4000; spin > 0; spin--) ;
        pthread_mutex_lock(&m), there++, pthread_cond_signal(&c), pthread_mutex_unlock(&m);
        pthread_cancel(t[i % 3]);
        for (int n = 0; n < 2; n++)
            pthread_mutex_lock(&m), there++, pthread_cond_signal(&c), pthread_mutex_unlock(&m);
        ended = 0;
        for (int n = 0; n < 3; n++) {
            pthread_join(t[n], &result[n]);
            ended += result[n] == PTHREAD_CANCELED;
        }
        MUST(there == ended && taken == 3 - ended && ended <= 1);
        cancelled += ended;
    }
    return wrong || !cancelled;
}
"""

ROBUST = r"""
static pthread_mutex_t m, other;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *die_with(void *both) { pthread_mutex_lock(&m); if (both) pthread_mutex_lock(&other); return NULL; }
static void *leave_one(void *unused) { pthread_mutex_lock(&m), pthread_mutex_lock(&other); pthread_mutex_unlock(&m); return unused; }
static void *wait_for_it(void *unused) { (void)unused; return (void *)(intptr_t)pthread_mutex_lock(&m); }
static void *wake(void *unused) { pthread_mutex_lock(&m); pthread_cond_signal(&c); return unused; }
static void joined(void *(*what)(void *), void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, what, arg);
    pthread_join(t, NULL);
}
int main(void)
{
    pthread_mutexattr_t a;
    pthread_t t;
    void *result;
    int robust;
    MUST(pthread_mutexattr_init(&a) == 0 && pthread_mutexattr_getrobust(&a, &robust) == 0 && robust == PTHREAD_MUTEX_STALLED);
    MUST(pthread_mutexattr_setrobust(&a, 7) == EINVAL && pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    MUST(pthread_mutexattr_getrobust(&a, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&other, &a);
    MUST(pthread_mutex_unlock(&m) == EPERM && pthread_mutex_consistent(&m) == EINVAL);
    joined(die_with, &m);
    MUST(pthread_mutex_trylock(&m) == EOWNERDEAD && pthread_mutex_consistent(&m) == 0 && pthread_mutex_consistent(&m) == EINVAL);
    MUST(pthread_mutex_lock(&other) == EOWNERDEAD && pthread_mutex_lock(&other) == 0 && pthread_mutex_unlock(&other) == 0);
    MUST(pthread_mutex_consistent(&other) == 0 && pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&other) == 0);
    joined(leave_one, NULL);
    MUST(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&other) == EOWNERDEAD && pthread_mutex_unlock(&other) == 0);
    MUST(pthread_mutex_lock(&other) == ENOTRECOVERABLE && pthread_mutex_trylock(&other) == ENOTRECOVERABLE);
    MUST(pthread_mutex_destroy(&other) == 0);
    pthread_create(&t, NULL, wake, NULL);
    MUST(pthread_cond_wait(&c, &m) == EOWNERDEAD && pthread_join(t, NULL) == 0); /* and is not made consistent */
    pthread_create(&t, NULL, wait_for_it, NULL);
    pause_ms(5);
    MUST(pthread_mutex_unlock(&m) == 0 && pthread_join(t, &result) == 0 && result == (void *)ENOTRECOVERABLE);
    return wrong;
}
"""


def test_a_thread_is_cancelled_at_each_point(run: Callable[..., Done]) -> None:
    done = run(HEADERS + POINTS, memory=1024)
    assert (done.returncode, done.stdout) == (0, ""), done


def test_cancellation_waits_while_it_is_disabled_and_in_handlers(run: Callable[..., Done]) -> None:
    done = run(HEADERS + STATES, memory=1024)
    assert (done.returncode, done.stdout) == (0, ""), done


def test_whoever_is_cancelled_has_taken_nothing(run: Callable[..., Done]) -> None:
    done = run(HEADERS + STORM, memory=1024)
    assert (done.returncode, done.stdout) == (0, ""), done


def test_a_robust_mutex_tells_that_its_owner_has_ended(run: Callable[..., Done]) -> None:
    done = run(HEADERS + ROBUST, memory=1024)
    assert (done.returncode, done.stdout) == (0, ""), done
