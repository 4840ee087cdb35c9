/* SPDX-License-Identifier: MIT */
/*
 * deaths.c - UEs compute together for ever, while any of them ends in any way and begins again: each step is a sum of
 * all, a numbered message round the ring, and a barrier. Who begins meets the others in RCCE_init(); a UE whose partner
 * is gone is ended, by the library or its watchdog, and begins again, too. A meeting has a number, which each message
 * has beside its step: one of a former life is seen. Numbers of all are in shared memory, into which the host looks
 * (tests/system/test_scc_deaths.py); it orders ends there.
 */
#include <RCCE.h>
#include <amalgam/calls.h>
#include <stdint.h>
#include <stdio.h>

enum { NOTHING, FAULT, HANG };                    /* orders */
enum { SUM = 1, MESSAGE = 2, BARRIER = 4 };       /* what was wrong */
enum { TAG = 0x5eed, WORDS = 24, WORD = 40503u }; /* of a message */

struct words {
    volatile uint32_t order, run, steps, wrong, errors, got, stale, hung;
};

struct message {
    uint32_t meeting, step, data[WORDS];
};

/* Of RCCE's shared memory; `at` is where each UE is in which meeting. */
static struct words *words;
static volatile struct {
    uint32_t meeting, step;
} * at;
static int me, n;
static uint32_t meeting;
static volatile int *volatile nowhere;

/* The library ends a program of which a member is lost. As a fault that is one after which it begins again. */
void __wrap__exit(int status)
{
    words[me].errors++;
    *nowhere = status;
    for (;;)
        ;
}

static void check(uint32_t what, int right, uint32_t step)
{
    if (right)
        return;
    words[me].wrong |= what;
    printf("deaths: WRONG: UE %d, %u in step %u of meeting %u\n", me, (unsigned)what, (unsigned)step,
           (unsigned)meeting);
    fflush(stdout);
}

static void obey(void)
{
    uint32_t order = words[me].order;
    words[me].order = NOTHING;
    if (order == FAULT)
        *nowhere = 1;
    while (order == HANG)
        words[me].hung = 1;
}

static void sum_up(uint32_t step)
{
    int mine[2] = { (int)step * (me + 1), me }, sum[2] = { 0, 0 };
    RCCE_allreduce((char *)mine, (char *)sum, 2, RCCE_INT, RCCE_SUM, RCCE_COMM_WORLD);
    check(SUM, sum[0] == (int)step * n * (n + 1) / 2 && sum[1] == n * (n - 1) / 2, step);
}

static void pass_on(uint32_t step)
{
    struct message out = { meeting, step, { 0 } }, in = { 0, 0, { 0 } };
    int next = (me + 1) % n, before = (me + n - 1) % n;
    for (unsigned i = 0; i < WORDS; i++)
        out.data[i] = TAG + (step * WORD + meeting) * (i + 1) + (unsigned)me;
    if (me % 2 == 0)
        RCCE_send((char *)&out, sizeof(out), next);
    RCCE_recv((char *)&in, sizeof(in), before);
    if (me % 2)
        RCCE_send((char *)&out, sizeof(out), next);
    int right = in.meeting == meeting && in.step == step;
    for (unsigned i = 0; i < WORDS; i++)
        right &= in.data[i] == TAG + (step * WORD + meeting) * (i + 1) + (unsigned)before;
    check(MESSAGE, right, step);
    words[me].got++;
}

/* Behind the barrier all are in this step, or in the next one already. */
static void meet(uint32_t step)
{
    at[me].meeting = meeting;
    at[me].step = step;
    RCCE_barrier(&RCCE_COMM_WORLD);
    for (int i = 0; i < n; i++)
        check(BARRIER, at[i].meeting == meeting && at[i].step - step <= 1, step);
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    amalgam_watchdog_kick();
    me = RCCE_ue();
    n = RCCE_num_ues();
    words = (struct words *)RCCE_shmalloc(sizeof(*words) * RCCE_MAXNP);
    at = (volatile void *)RCCE_shmalloc(sizeof(*at) * RCCE_MAXNP);
    printf("deaths: UE %d: words at %x\n", me, (unsigned)(uintptr_t)words);
    fflush(stdout);
    words[me].hung = 0;
    words[me].run++;
    meeting = words[0].run;
    RCCE_bcast((char *)&meeting, sizeof(meeting), 0, RCCE_COMM_WORLD);
    for (uint32_t step = 1;; step++) {
        sum_up(step);
        pass_on(step);
        meet(step);
        words[me].steps++;
        amalgam_watchdog_kick();
        obey();
    }
}
