/* SPDX-License-Identifier: MIT */
/*
 * deaths.c - runs of a process on several cores exchange numbers by shared pages, under a lock, by barriers and mail,
 * for ever, while any of them ends in any way and begins again. A number is a run's own, and larger than all before it,
 * also those of the run's former lives. What is wrong is noted in the memory that the host looks into
 * (tests/system/test_scc_deaths.py), which also orders ends there. arguments: [deaths, core of each rank...].
 */
#include <amalgam/scc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define RANKS   8u
#define STEP_NS 20000000u

enum { NOTHING, FAULT, HANG };        /* orders */
enum { PAGE = 1, SUM = 2, MAIL = 4 }; /* what was wrong */

struct words {
    volatile uint32_t order, run, steps, wrong, errors, got, stale, hung;
};
#define WORDS ((struct words *)0xde100000) /* of its record's `shared`: kernel/include/process/chip.h */

struct message {
    uint64_t number;
    uint32_t to_run;
};

static struct words *own;
static unsigned rank, n;
static uint32_t core[RANKS], count;
static uint64_t last[RANKS], last_mail[RANKS];

static void sleep_a_step(void) { amalgam_sleep_until((uint64_t)amalgam_clock() + STEP_NS); }

/* A run that waits for others lives; one that was ordered to hang does not. */
static void *kick(void *arg)
{
    (void)arg;
    while (!own->hung) {
        amalgam_watchdog_kick();
        sleep_a_step();
    }
    return NULL;
}

static void obey(void)
{
    uint32_t order = own->order;
    own->order = NOTHING;
    if (order == FAULT)
        __asm__ volatile("movl $1, 16");
    if (order == HANG) {
        own->hung = 1;
        for (;;)
            ;
    }
}

static uint64_t next_number(void) { return (uint64_t)own->run << 32 | ++count; }

static void check(uint32_t what, int right, unsigned from, uint64_t number, uint64_t before)
{
    if (right)
        return;
    own->wrong |= what;
    printf("deaths: WRONG: %s, of rank %u: run %u number %u after run %u number %u, at step %u of run %u\n",
           what == PAGE  ? "page"
           : what == SUM ? "sum"
                         : "mail",
           from, (unsigned)(number >> 32), (unsigned)number, (unsigned)(before >> 32), (unsigned)before,
           (unsigned)own->steps, (unsigned)own->run);
}

/* What the others have put there in this step. */
static void check_page(const volatile uint64_t *page)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t number = page[i];
        check(PAGE, number > last[i], i, number, last[i]);
        last[i] = number;
    }
}

static void send(unsigned to)
{
    struct message m = { next_number(), (uint32_t)(last[to] >> 32) };
    amalgam_mail_send(core[to], &m, sizeof(m)); /* without room it is not sent: numbers have gaps then */
}

static void receive(void)
{
    struct message m;
    int64_t from;
    while ((from = amalgam_mail_receive(&m, AMALGAM_MAIL_RECEIVE_POLL, 0)) >= 0)
        for (unsigned i = 0; i < n; i++)
            if (core[i] == (uint64_t)from >> 8) {
                check(MAIL, (from & 0xff) == sizeof(m) && m.number > last_mail[i], i, m.number, last_mail[i]);
                check(MAIL, m.to_run <= own->run, i, (uint64_t)m.to_run << 32, (uint64_t)own->run << 32);
                last_mail[i] = m.number;
                own->got++;
                own->stale += m.to_run < own->run; /* sent when nobody had told that the former life had ended */
            }
}

/* A step of all. Returns 0, or an error, which they all get. */
static int step(volatile uint64_t *page, volatile uint32_t *sum, uint32_t steps)
{
    int64_t error = amalgam_svm_lock(3);
    if (error)
        return (int)error;
    uint32_t was = *sum;
    *sum = was + 1;
    if ((error = amalgam_svm_unlock(3)))
        return (int)error;
    page[rank] = next_number();
    if ((error = amalgam_svm_barrier()))
        return (int)error;
    check_page(page);
    check(SUM, *sum == n * steps, rank, *sum, n * steps);
    send((rank + 1) % n);
    receive();
    return (int)amalgam_svm_barrier();
}

static int together(void)
{
    int64_t page = amalgam_svm_alloc(1, AMALGAM_SVM_ALLOC_LAZY);
    if (page < 0)
        return (int)page;
    int64_t sum = amalgam_svm_alloc(1, AMALGAM_SVM_ALLOC_STRONG);
    int error = sum < 0 ? (int)sum : 0;
    for (uint32_t steps = 1; !error; steps++) {
        error = step((volatile uint64_t *)(uintptr_t)page, (volatile uint32_t *)(uintptr_t)sum, steps);
        own->steps++;
        obey();
    }
    return error;
}

int main(int argc, char **argv)
{
    pthread_t kicker;
    rank = (unsigned)amalgam_svm_rank();
    n = (unsigned)amalgam_svm_members();
    if (n > RANKS || argc != (int)n + 1)
        return 1;
    for (unsigned i = 0; i < n; i++)
        core[i] = (uint32_t)atoi(argv[i + 1]);
    own = &WORDS[rank];
    own->hung = 0;
    own->run++;
    if (pthread_create(&kicker, NULL, kick, NULL))
        return 2;
    for (;;) {
        together();
        own->errors++;
        obey();
        sleep_a_step();
    }
}
