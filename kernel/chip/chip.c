/* SPDX-License-Identifier: MIT */
/*
 * chip.c - processes on an SCC. Its kernels all have the same system: the record of a process says on which cores it
 * runs, and which pages of the board's shared memory are its own (process/chip.h).
 *
 * What two processes could write to is no other's: each has pages of its own, and a core's message passing buffer
 * belongs to one process. So one that does its worst reaches its own runs on other cores and nothing else.
 */
#include <board/watch.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <mail/mail.h>
#include <process/chip.h>
#include <process/memory.h>
#include <process/part.h>
#include <svm/svm.h>

#include "chip.h"

#define SHARED_PAGES (SCC_PROCESSES_SIZE / PAGE_SIZE)
_Static_assert(CHIP_LIVES - LIVES_PAGE == offsetof(struct scc_shared, up) &&
                   offsetof(struct scc_shared, rang) == PAGE_SIZE,
               "what a process may read, and nothing else on its page");
_Static_assert(CHIP_INFO == PROCESS_TUNNELS - 16 * MIB && CHIP_INFO >= PROCESS_PARTS,
               "no call changes pages from there on");
_Static_assert(CHIP_MPB + SCC_CORES * CHIP_MPB_SIZE <= CHIP_SHARED && CHIP_SHARED + SCC_PROCESSES_SIZE <= USER_END,
               "in this order");
_Static_assert(CHIP_SHARED + SCC_PROCESSES_SIZE <= CHIP_SVM && CHIP_SVM + SVM_SIZE <= PROCESS_TUNNELS, "and the last");
_Static_assert(MAIL_MPB_BYTES <= MPB_AT && MPB_AT % PAGE_SIZE == 0, "the kernels' words are on other pages");

/* Of a process that this kernel does not run, so no thread of it is ever here. It has no end of a channel. */
static void kill(struct domain *d) {}
static void stats(struct domain *d) { printk("%s: runs on other cores\n", d->conf->name); }
static const struct domain_ops elsewhere = { .start = domain_elsewhere, .kill = kill, .stats = stats };

static __init_text int look(struct process *p)
{
    if (sys_runs_on(sys_process(p->domain->conf), scc_core) && !(CHIP_GUESTS && chip_guests(p->domain) >> scc_core & 1))
        return 0;
    p->domain->ops = &elsewhere;
    return PROCESS_ELSEWHERE;
}

/* Returns whether two processes would reach the same memory. */
static __init_text bool overlap(const struct sys_process *p, const struct sys_process *q)
{
    if (!p->shared_pages || !q->shared_pages)
        return false;
    return (p->shared_page < q->shared_page + q->shared_pages && q->shared_page < p->shared_page + p->shared_pages) ||
           p->ues[0] & q->ues[0] || p->ues[1] & q->ues[1];
}

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    if (sys_process(d)->shared_page + sys_process(d)->shared_pages > SHARED_PAGES)
        return "a process's shared memory lies outside of the board's";
    for (unsigned i = 0; i < h->n_domains; i++) {
        const struct sys_domain *other = sys_domain(h, i);
        if (other != d && other->kind == SYS_KIND_PROCESS && overlap(sys_process(d), sys_process(other)))
            return "two processes have the same shared memory, or one core's message passing buffer";
    }
    return NULL;
}

/* The kernels of the cores of the process that has shared memory here, as they were when its run began; 0: a core had
 * none. At most one such process is here (overlap()). */
static u32 kernels[SCC_CORES];

static int begin(struct process *p)
{
    for (unsigned core = 0; core < SCC_CORES && sys_process(p->domain->conf)->shared_pages; core++)
        kernels[core] = sys_runs_on(sys_process(p->domain->conf), core) ? scc_up(core) : 0;
    return 0;
}

/* A kernel that begins later is one of its cores' from the next look on. */
u32 chip_lost(const struct process *p)
{
    for (unsigned core = 0; core < SCC_CORES; core++) {
        u32 now = scc_up(core);
        if (!kernels[core] && sys_runs_on(sys_process(p->domain->conf), core))
            kernels[core] = now;
        else if (kernels[core] && now != kernels[core])
            return core + 1;
    }
    return 0;
}

static __init_text int map(struct process *p)
{
    const struct sys_process *conf = sys_process(p->domain->conf);
    struct chip_info *info = chip_info_create(conf);
    int err = info ? space_map(&p->space, CHIP_INFO, virt_to_phys(info), PAGE_SIZE, 0) : -ENOMEM;
    if (conf->shared_pages && !err) {
        scc_beat_begin();
        mail_hand_over();
        err = space_map(&p->space, LIVES_PAGE, SCC_SHARED, PAGE_SIZE, 0);
    }
    for (unsigned core = 0; core < SCC_CORES && conf->shared_pages && !err; core++)
        if (sys_runs_on(conf, core))
            err = space_map(&p->space, CHIP_MPB + core * CHIP_MPB_SIZE, SCC_MPB + core * SCC_MPB_SIZE + MPB_AT,
                            CHIP_MPB_SIZE, SPACE_WRITE);
    return err ? err
               : space_map(&p->space, CHIP_SHARED, SCC_PROCESSES + conf->shared_page * PAGE_SIZE,
                           conf->shared_pages * PAGE_SIZE, SPACE_WRITE);
}

PROCESS_PART(chip, .check = check,
             .at = {
                 [PROCESS_CREATES] = look,
                 [PROCESS_MAPS] = map,
                 [PROCESS_BEGINS] = begin,
             });
