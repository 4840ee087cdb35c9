/* SPDX-License-Identifier: MIT */
/* signals.c - signals and alarms of libnanvix, and threads of the program's own, which alarms take turns among. */
#include <amalgam/signal.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/signal.h>

#include "../../../user/programs/nanvix/check.h"

#define ALL   (EXCEPTIONS_NUM + 1) /* signals */
#define MS    1000000ull
#define OWN   3 /* with the first one */
#define STACK 4096
#define CUTS  2 /* slices of each */

static int where, times; /* the thread that the handler has run in last; how often */
static int after;
static uint32_t done;

static void note(void *unused)
{
    UNUSED(unused);
    errno = EIO;
    __atomic_store_n(&where, kthread_self(), __ATOMIC_RELAXED);
    __atomic_fetch_add(&times, 1, __ATOMIC_RELEASE);
}

static void leave(void *unused)
{
    note(unused);
    ksigreturn();
    after = 1;
}

static int count(void) { return __atomic_load_n(&times, __ATOMIC_ACQUIRE); }
static void rest(void) { amalgam_sleep_until((uint64_t)amalgam_clock() + MS); }

static void refusals(void)
{
    struct ksigaction action = { note };
    for (int signum = 0; signum < SIGNALS_NUM; signum++)
        MUST(ksigctl(signum, &action) == (signal_is_valid(signum) ? 0 : -1));
    FAILS(ksigsend(-1, KTHREAD_LEADER_TID), EINVAL);
    FAILS(ksigsend(SIGNALS_NUM, KTHREAD_LEADER_TID), EINVAL);
    FAILS(ksigsend(SIGALRM, -1), EINVAL);
    FAILS(ksigsend(SIGALRM, KTHREAD_MASTER_TID), EINVAL);
    FAILS(ksigsend(SIGALRM, KTHREAD_LEADER_TID + 1), EINVAL);
    FAILS(ksigwait(SIGNALS_NUM), EINVAL);
    FAILS(kalarm(-1), EINVAL);
    FAILS(ksigreturn(), EINVAL);
    MUST((long)kcall0(NR_sigreturn) == -EINVAL && count() == 0);
}

static void own(void)
{
    struct ksigaction action = { leave };
    errno = EBADF;
    for (int signum = 0; signum < EXCEPTIONS_NUM; signum++)
        MUST(ksigsend(signum, kthread_self()) == 0 && count() == signum + 1 && errno == EBADF);
    MUST(ksigsend(SIGALRM, kthread_self()) == 0 && count() == ALL);
    MUST(ksigctl(SIGOPCODE, &action) == 0 && ksigsend(SIGOPCODE, kthread_self()) == 0);
    MUST(count() == ALL + 1 && !after && errno == EBADF && where == kthread_self());
    MUST((long)kcall2(NR_sigsend, SIGPGPROT, (word_t)kthread_self()) == 0 && count() == ALL + 2);
}

static void *sleeper(void *unused)
{
    MUST(ksleep() == 0);
    MUST(ksigwait(SIGPGFAULT) == 0);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return unused;
}

/* A handler runs in a thread that sleeps, which sleeps on; and a wait for a signal ends. */
static void others(void)
{
    kthread_t thread;
    int before = count();
    MUST(kthread_create(&thread, sleeper, NULL) == 0 && ksigsend(SIGGENPROT, thread) == 0);
    while (count() == before)
        rest();
    MUST(where == thread && !done);
    while (kwakeup(thread) != 0)
        rest();
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        ksigsend(SIGPGFAULT, thread);
        rest();
    }
    MUST(kthread_join(thread, NULL) == 0);
    FAILS(ksigsend(SIGPGFAULT, thread), EINVAL);
}

static void alarms(void)
{
    uint64_t start = (uint64_t)amalgam_clock();
    int before = count();
    MUST(kalarm(0) == 0 && kalarm(7) == 0 && kalarm(1) == 7 && ksigwait(SIGALRM) == 0);
    MUST((uint64_t)amalgam_clock() - start >= 1000 * MS && count() == before + 1);
    MUST(kalarm(2) == 0 && kalarm(0) == 2 && kalarm(0) == 0 && count() == before + 1);
}

static struct amalgam_frame *frame[OWN];
static uint32_t steps[OWN], last[OWN], cuts[OWN];
static unsigned running;
static uint64_t slice = MS / 2;
static bool over;

/* The next one's turn. A slice in which nothing was done was too short for this machine, and no turn. */
static void turn(void *at)
{
    if (__atomic_load_n(&over, __ATOMIC_RELAXED))
        return;
    if (__atomic_load_n(&steps[running], __ATOMIC_RELAXED) == last[running])
        slice *= 2;
    else
        cuts[running]++;
    last[running] = steps[running];
    frame[running] = *(struct amalgam_frame **)at;
    running = (running + 1) % OWN;
    *(struct amalgam_frame **)at = frame[running];
    amalgam_alarm(slice);
}

static void compute(void *mine)
{
    for (;;)
        __atomic_fetch_add((uint32_t *)mine, 1, __ATOMIC_RELAXED);
}

static void turns(void)
{
    static char stack[OWN][STACK];
    struct ksigaction action = { turn };
    for (int i = 1; i < OWN; i++)
        frame[i] = amalgam_frame(stack[i] + STACK, compute, &steps[i]);
    MUST(ksigctl(SIGALRM, &action) == 0 && amalgam_alarm(slice) == 0);
    for (int i = 0; i < OWN; i++)
        while (__atomic_load_n(&cuts[i], __ATOMIC_RELAXED) < CUTS)
            __atomic_fetch_add(&steps[0], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    kalarm(0);
    for (int i = 0; i < OWN; i++)
        MUST(steps[i] > 0);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    knoc_init();
    refusals();
    own();
    others();
    alarms();
    turns();
    uprintf("signals: right");
}
