/* SPDX-License-Identifier: MIT */
/* calls.c - the calls of a process on the host: userlib.h. */
#define _GNU_SOURCE
#define HOST_PTHREAD
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "userlib.h"

#define NS_PER_S  1000000000ull
#define MOST      64 /* threads of a process */
#define CONSOLE_1 1

struct amalgam_thread;
struct amalgam_thread *host_self(void);
struct amalgam_thread *tls_make(void *memory);
size_t tls_size(void);
const void *program_tls;
uintptr_t program_base;

host_hook *host_before;
static _Thread_local struct amalgam_thread *self;
static _Thread_local unsigned number;
static unsigned used[MOST] = { 1 };
static unsigned created, ended;

struct start {
    void (*entry)(void *);
    void *arg;
    struct amalgam_thread *self;
    unsigned number;
};

struct amalgam_thread *host_self(void) { return self; }

void host_begin(void)
{
    if (!self)
        self = tls_make(malloc(tls_size()));
}

static uint64_t now(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void *begin(void *arg)
{
    struct start s = *(struct start *)arg;
    free(arg);
    self = s.self;
    number = s.number;
    s.entry(s.arg);
    abort();
}

static int64_t thread_create(const uintptr_t a[4])
{
    struct start *s = malloc(sizeof *s);
    *s = (struct start){ .entry = (void (*)(void *))a[0], .arg = (void *)a[2], .self = (void *)a[3] };
    for (s->number = 1; s->number < MOST && __atomic_exchange_n(&used[s->number], 1, __ATOMIC_ACQ_REL);)
        s->number++;
    int64_t result = s->number;
    pthread_t thread;
    if (result == MOST || pthread_create(&thread, NULL, begin, s)) {
        free(s);
        return -AMALGAM_EAGAIN;
    }
    pthread_detach(thread);
    __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
    return result;
}

void host_await_end(void)
{
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) != __atomic_load_n(&created, __ATOMIC_RELAXED))
        syscall(SYS_sched_yield);
}

static _Noreturn void thread_exit(uint32_t *word)
{
    __atomic_store_n(&used[number], 0, __ATOMIC_RELEASE);
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, MOST, NULL, NULL, 0);
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
    pthread_exit(NULL);
}

static int64_t wait(const uintptr_t a[4])
{
    struct timespec t = { (time_t)(a[2] / NS_PER_S), (long)(a[2] % NS_PER_S) };
    const struct timespec *until = a[2] == AMALGAM_NEVER ? NULL : &t;
    return syscall(SYS_futex, a[0], FUTEX_WAIT_BITSET_PRIVATE, (uint32_t)a[1], until, NULL, ~0u) ? -errno : 0;
}

static int64_t map(size_t n)
{
    void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? -AMALGAM_ENOMEM : (int64_t)(uintptr_t)at;
}

int64_t host_carry_out(uintptr_t n, const uintptr_t a[4])
{
    struct timespec t = { (time_t)(a[0] / NS_PER_S), (long)(a[0] % NS_PER_S) };
    switch (n) {
    case AMALGAM_CONSOLE_WRITE: return write(CONSOLE_1, (void *)a[0], a[1]);
    case AMALGAM_YIELD: return syscall(SYS_sched_yield);
    case AMALGAM_CLOCK: return (int64_t)now();
    case AMALGAM_SLEEP_UNTIL: return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ? -AMALGAM_EINTR : 0;
    case AMALGAM_THREAD_CREATE: return thread_create(a);
    case AMALGAM_THREAD_EXIT: thread_exit((uint32_t *)a[0]);
    case AMALGAM_THREAD_CORES: return 0;
    case AMALGAM_THREAD_SELF: return number;
    case AMALGAM_WAIT: return wait(a);
    case AMALGAM_WAKE: return syscall(SYS_futex, a[0], FUTEX_WAKE_PRIVATE, a[1] > MOST ? MOST : a[1], NULL, NULL, 0);
    case AMALGAM_INFO: return a[0] == AMALGAM_INFO_THREADS ? MOST : a[0] == AMALGAM_INFO_CORES;
    case AMALGAM_MAP: return map(a[1]);
    case AMALGAM_UNMAP: return munmap((void *)a[0], a[1]) ? -AMALGAM_EINVAL : 0;
    default: return -AMALGAM_ENOSYS;
    }
}

int64_t host_call(uintptr_t n, const uintptr_t a[4])
{
    int64_t result;
    return host_before && host_before(n, a, &result) ? result : host_carry_out(n, a);
}
