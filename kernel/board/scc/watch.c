/* SPDX-License-Identifier: MIT */
/* watch.c - this kernel's signs of life, and looks at those of others (board/watch.h). */
#include <arch/cpu.h>
#include <board/gic.h>
#include <board/watch.h>
#include <core/log.h>
#include <core/timer.h>
#include <hal/cpu.h>

#define PERIOD_NS 1000000000ull

static struct timer timer;
static struct list watches = LIST_INIT(watches);
static u32 beats;

/* Returns whether the watched kernel is dead. One that does not run yet is waited for. */
static bool is_dead(struct scc_watch *w)
{
    bool up = scc_up(w->watched), dead = w->was_up && !up;
    u32 beat = READ_ONCE(scc_shared()->beat[w->watched]);
    w->missed = up && beat == w->beat ? w->missed + 1 : 0;
    w->beat = beat;
    w->was_up |= up;
    return dead || w->missed == SCC_PATIENCE;
}

static void look(struct scc_watch *w)
{
    if (*w->lost)
        return;
    if (w->watched < SCC_CORES && is_dead(w)) {
        scc_shared()->deaths[w->watched]++;
        printk("%s: the kernel of core %u is dead\n", w->name, w->watched);
    }
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (w->cores >> core & 1 && (u8)READ_ONCE(scc_shared()->deaths[core]) != w->deaths[core])
            WRITE_ONCE(*w->lost, core + 1);
}

static void tick(void *arg)
{
    WRITE_ONCE(scc_shared()->beat[scc_core], ++beats);
    scc_gic_renew();
    struct list *at;
    list_for_each(at, &watches) look(list_entry(at, struct scc_watch, link));
    timer_arm(&timer, time_after(PERIOD_NS));
}

/* Return the next one of a program's cores that boot, in the order of their numbers, after this one; SCC_CORES: none.
 */
static unsigned next_of(u64 cores)
{
    for (unsigned i = 1; i < SCC_CORES; i++) {
        unsigned core = (scc_core + i) % SCC_CORES;
        if (cores >> core & 1 && scc_chosen(core))
            return core;
    }
    return SCC_CORES;
}

void scc_watch_begin(struct scc_watch *w, const char *name, u64 cores, u32 *lost)
{
    *w = (struct scc_watch){ .name = name, .cores = cores, .lost = lost, .watched = next_of(cores) };
    for (unsigned core = 0; core < SCC_CORES; core++)
        w->deaths[core] = (u8)READ_ONCE(scc_shared()->deaths[core]);
    WRITE_ONCE(*lost, 0);
    unsigned long flags = irq_save();
    list_push_back(&watches, &w->link);
    irq_restore(flags);
}

void scc_watch_end(struct scc_watch *w)
{
    unsigned long flags = irq_save();
    if (w->link.next)
        list_remove(&w->link);
    irq_restore(flags);
}

__init_text void scc_beat_begin(void)
{
    if (beats)
        return;
    timer_init(&timer, tick, NULL);
    tick(NULL);
}
