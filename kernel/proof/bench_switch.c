/* SPDX-License-Identifier: MIT */
/*
 * bench_switch.c - the paper's measurement of context switches (metalsvm, VI.A).
 *
 * Two tasks of equal priority share a core. Each reads the counter in a loop and stores the value in one common word.
 * The difference between a value and the other task's last value is the latency of the switch in between. First the end
 * of the time slice switches (`hourglass`: interrupt, scheduler, switch), then thread_yield(). The slice is shortened
 * so that 2,000 gaps take a fifth of a second.
 */
#include <task/task.h>

#include <core/cpu.h>
#include <hal/cpu.h>

#define GAPS     2000
#define SLICE_NS 100000
#define PHASES   29

enum { HOURGLASS, YIELD };
static const char *const phase_names[] = { "hourglass", "yield" };

/*
 * One word holds the time and the task (bit 0), and one instruction exchanges it: a task that was interrupted between a
 * load and a store would not see that the other one has run. A task that is interrupted between reading the counter and
 * the exchange finds a value from its own future: that gap is dropped, as is one as long as a slice. The remaining gaps
 * are never shorter than the switch, and at most one iteration longer.
 */
static struct {
    unsigned long last;
    unsigned looks, n[2];
    u32 gap[2][GAPS];
} shared;

static inline void sample(unsigned phase, unsigned me, ticks_t longest)
{
    ticks_t now = time_now();
    unsigned long stamp = (unsigned long)now << 1 | me;
    unsigned long last = __atomic_exchange_n(&shared.last, stamp, __ATOMIC_RELAXED);
    if ((last & 1) == me)
        return;
    unsigned long gap = ((stamp | 1) - last) >> 1; /* the difference of the times, without bit 0 */
    unsigned n = READ_ONCE(shared.n[phase]);
    if (gap < longest && n < GAPS) {
        shared.gap[phase][n] = (u32)gap;
        WRITE_ONCE(shared.n[phase], n + 1);
    }
    /* On a board that counts instructions slice and loop would stay in step for ever, perhaps where each gap is
     * dropped. */
    unsigned looks = READ_ONCE(shared.looks);
    WRITE_ONCE(shared.looks, looks + 1);
    for (unsigned i = looks % PHASES; i; i--)
        cpu_relax();
}

/*
 * Collect GAPS gaps. In the yield phase each sample finds the other task's value; the word is stamped again as late as
 * possible, so that only the yield is between.
 */
static void measure(unsigned phase, unsigned me, ticks_t slice)
{
    while (READ_ONCE(shared.n[phase]) < GAPS && !task_stopping()) {
        if (phase == YIELD) {
            WRITE_ONCE(shared.last, (unsigned long)time_now() << 1 | me);
            thread_yield();
        }
        sample(phase, me, slice);
    }
}

static void report(const struct task *t, unsigned phase)
{
    u32 *gap = shared.gap[phase];
    const char *name = phase_names[phase];
    for (unsigned i = 0; i < GAPS; i++) {
        if (i % 8 == 0)
            task_print(t, "\ngaps context-switch %s %u", name, i);
        task_print(t, " %u", gap[i]);
    }
    task_sort(gap, GAPS);
    task_print(t,
               "\nbench context-switch %s-min %u\nbench context-switch %s-median %u\nbench context-switch %s-max %u\n",
               name, gap[0], name, gap[GAPS / 2], name, gap[GAPS - 1]);
}

static void bench_switch_run(struct task *t, unsigned me)
{
    struct sched *s = &this_cpu()->sched;
    if (me == 0) {
        shared.n[0] = shared.n[1] = 0;
        s->slice = time_from_ns(SLICE_NS);
    }
    thread_yield(); /* then both tasks have begun */
    for (unsigned phase = 0; phase < 2; phase++)
        measure(phase, me, s->slice);
    if (me)
        return;
    s->slice = time_from_ns(SCHED_SLICE_NS);
    for (unsigned phase = 0; phase < 2 && !task_stopping(); phase++)
        report(t, phase);
}

TASK_APP(bench_switch, .number = APP_CONTEXT_SWITCH, .name = "context-switch", .threads = 2, .run = bench_switch_run);
