/* SPDX-License-Identifier: MIT */
/* watch.c - this kernel's signs of life, and looks at those of others (board/watch.h). */
#include <arch/cpu.h>
#include <board/gic.h>
#include <board/watch.h>
#include <core/log.h>
#include <core/timer.h>

#define PERIOD_NS 1000000000ull

static struct timer timer;
static u32 beats;
static struct seen {
    u32 number, beat; /* when the count was seen to change */
    u32 missed;       /* looks since */
} seen[SCC_CORES];

/* All kernels look, and one of them is the first to find a dead one: its number changes once. */
static void look(unsigned core)
{
    struct seen *s = &seen[core];
    u32 *up = &scc_shared()->up[core], number = READ_ONCE(*up), beat = READ_ONCE(scc_shared()->beat[core]);
    if (!number || (number ^ s->number) & LIFE_MASK || beat != s->beat)
        *s = (struct seen){ number, beat, 0 };
    else if (++s->missed == (beat ? SCC_PATIENCE : SCC_PATIENCE_BOOT) &&
             __atomic_compare_exchange_n(up, &s->number, number + SCC_FOUND_DEAD, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
        printk("scc: the kernel of core %u is dead\n", core);
}

/* Any kernel may write any word: this one's are written again. */
static void tick(void *arg)
{
    u32 *up = &scc_shared()->up[scc_core];
    WRITE_ONCE(scc_shared()->beat[scc_core], ++beats);
    if ((READ_ONCE(*up) ^ scc_life) & LIFE_MASK)
        WRITE_ONCE(*up, scc_life);
    scc_gic_renew();
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (core != scc_core)
            look(core);
    timer_arm(&timer, time_after(PERIOD_NS));
}

__init_text void scc_beat_begin(void)
{
    if (beats)
        return;
    timer_init(&timer, tick, NULL);
    tick(NULL);
}
