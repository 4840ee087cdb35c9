/* SPDX-License-Identifier: MIT */
/*
 * watch.c - finds a dead kernel among a program's cores, so that the threads that wait for it can end.
 *
 * While a program runs, each of its kernels asks the next one of its cores for a sign of life, once a second, whatever
 * the program does. A kernel takes a request in its interrupt; one that leaves it for SVM_PATIENCE_NS is dead. Whoever
 * finds that counts it in shared memory, which all others read (native_lost()). A core that is reset is counted by who
 * resets it (board/scc/restart.c), or by its next kernel (info.c).
 */
#include <board/scc.h>
#include <core/log.h>
#include <errors.h>
#include <svm/svm.h>

#include "native.h"

#define PERIOD_NS 1000000000ull
#define PATIENCE  ((unsigned)(SVM_PATIENCE_NS / PERIOD_NS))

/* Returns whether the watched kernel is dead. One that does not run yet is waited for. */
static bool is_dead(struct native *p)
{
    int err = svm_ping(p->watched);
    if (!err)
        p->was_up = true;
    p->missed = err == -EAGAIN ? p->missed + 1 : 0;
    return p->missed == PATIENCE || (err == -ENODEV && p->was_up);
}

static void look(void *arg)
{
    struct native *p = arg;
    if (native_lost(p))
        return;
    if (!is_dead(p)) {
        timer_arm(&p->watch, time_after(PERIOD_NS));
        return;
    }
    scc_shared()->deaths[p->watched]++;
    printk("%s: the kernel of core %u is dead\n", p->domain->conf->name, p->watched);
}

void native_watch(struct native *p)
{
    u64 others = p->cores & ~(1ull << scc_core);
    for (unsigned i = 1; i < SCC_CORES; i++) {
        p->watched = (scc_core + i) % SCC_CORES;
        if (!(others >> p->watched & 1) || !scc_chosen(p->watched))
            continue;
        p->was_up = false;
        p->missed = 0;
        timer_init(&p->watch, look, p);
        timer_arm(&p->watch, time_after(PERIOD_NS));
        return;
    }
}

void native_unwatch(struct native *p) { timer_cancel(&p->watch); }
