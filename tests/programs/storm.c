/* SPDX-License-Identifier: MIT */
/*
 * storm.c - a process that does one thing as often as it can, from all the threads that it may have: each storm is one
 * attack on the time of its neighbours (docs/isolation.md). arguments: [storm, NAME]. It says "storm: NAME" when each
 * thread has done it once, and goes on for ever. arguments: [storm, NAME, awake]: the last thread yields in between, so
 * that its core never rests.
 */
#include <amalgam/signal.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define PROGRAM "storm"
#include "../../user/programs/must.h"

#define THREADS 64
#define PERIOD  1000000ull
#define TEXT    4096
#define AREA    (1ul << 20)

static uint64_t now(void) { return (uint64_t)amalgam_clock(); }

/* The instant at which all threads are due; each of them finds out the same one. */
static uint64_t instant(void) { return (now() / PERIOD + 1) * PERIOD; }

/* Each signal to each thread. One that has not begun does not exist yet. */
static void send_signals(unsigned self)
{
    for (unsigned i = 1; i < THREADS; i++)
        for (int signal = 0; signal < AMALGAM_SIGNALS; signal++) {
            int64_t err = amalgam_signal_send((self + i) % THREADS, signal);
            MUST(!err || err == -AMALGAM_ENOENT);
        }
}

static void await_alarm(unsigned self)
{
    (void)self;
    uint64_t at = instant();
    int64_t left = (int64_t)(at - now());
    if (left > 0)
        RESULT(amalgam_alarm((uint64_t)left));
    amalgam_sleep_until(at + PERIOD); /* the alarm ends it, but for one that has come before */
}

static void sleep_together(unsigned self)
{
    (void)self;
    RESULT(amalgam_sleep_until(instant()));
}

/* An alarm behind those of the others, which is set anew at once. */
static void arm_far(unsigned self) { RESULT(amalgam_alarm(1000 * PERIOD + self * PERIOD)); }

static uint32_t word;

/* All wait on one word but the first thread, which wakes them all at once. */
static void wake_all(unsigned self)
{
    int64_t err = self ? amalgam_wait(&word, 0, AMALGAM_NEVER) : amalgam_wake(&word, THREADS);
    MUST(err >= 0 && amalgam_yield() == 0);
}

/* A wait that ends by its deadline, at the others' instant. */
static void time_out(unsigned self)
{
    (void)self;
    MUST(amalgam_wait(&word, 0, instant()) == -AMALGAM_ETIMEDOUT);
}

static void map_and_unmap(unsigned self)
{
    char *area = (char *)(uintptr_t)RESULT(amalgam_map(NULL, AREA / (self ? THREADS : 1), AMALGAM_MAP_WRITE));
    RESULT(amalgam_protect(area, AREA / (self ? THREADS : 1), AMALGAM_PROTECT_READ));
    RESULT(amalgam_unmap(area, AREA / (self ? THREADS : 1)));
}

static char text[TEXT];

static void talk(unsigned self)
{
    (void)self;
    RESULT(amalgam_console_write(text, TEXT));
}

static const struct storm {
    const char *name;
    void (*step)(unsigned self);
    int byte; /* of its text */
} storms[] = {
    { "signals", send_signals, 0 }, { "alarms", await_alarm, 0 }, { "sleeps", sleep_together, 0 },
    { "far-alarms", arm_far, 0 },   { "wakes", wake_all, 0 },     { "timeouts", time_out, 0 },
    { "maps", map_and_unmap, 0 },   { "talk", talk, 'x' },        { "lines", talk, '\n' },
    { "tags", talk, 0xff },
};

static const struct storm *storm;
static unsigned begun; /* threads that have done it once */
static int awake;

static void *run(void *unused)
{
    unsigned self = (unsigned)amalgam_thread_self();
    storm->step(self);
    if (__atomic_add_fetch(&begun, 1, __ATOMIC_ACQ_REL) == THREADS)
        printf("storm: %s\n", storm->name);
    while (awake && self == THREADS - 1)
        RESULT(amalgam_yield());
    for (;;)
        storm->step(self);
    return unused;
}

static struct amalgam_frame *take(int signal, struct amalgam_frame *frame)
{
    (void)signal;
    return frame;
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc > 1 && i < sizeof(storms) / sizeof(*storms); i++)
        if (!strcmp(storms[i].name, argv[1]))
            storm = &storms[i];
    MUST(storm);
    awake = argc > 2;
    memset(text, storm->byte, TEXT);
    for (int signal = 0; signal < AMALGAM_SIGNALS; signal++)
        RESULT(amalgam_signal(signal, take));
    pthread_t thread;
    for (unsigned i = 1; i < THREADS; i++)
        MUST(!pthread_create(&thread, NULL, run, NULL));
    run(NULL);
}
