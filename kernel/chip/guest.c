/* SPDX-License-Identifier: MIT */
/*
 * guest.c - guests that join a process (chip/guest.h). A guest is then one of the process's cores: on its own it runs
 * in the process's place, and has the same pages, the upper halves of message passing buffers and the shared memory, at
 * the same addresses, but physical ones. It reaches no more than the process would there: its runs on other cores.
 *
 * Before a next life of the guest its own buffer is cleared: so programs of other cores that were in the middle of
 * something with it lose it, as they lose a core (user/rcce/process/process.c). Then the memory that all share is
 * cleared. Other cores' buffers stay as they are, whatever the last life has written there: they may be in use.
 *
 * Of shared virtual memory a guest has the process's pages as they lie there, for regions of the lazy model: all cores
 * map those, and no page moves. It is no member (svm/svm.h), which would have to answer others: they allocate without
 * it and tell it where (user/rcce/process/lazy.h). Regions of other models it should not touch; it harms nobody but the
 * process if it does.
 */
#include <board/watch.h>
#include <core/frames.h>
#include <errors.h>
#include <generated/para_calls.h>
#include <svm/svm.h>
#include <vm/system_part.h>

#include "chip.h"

/* Returns whether a record is a guest's that joins the domain of this number. */
static bool joins(const struct sys_domain *d, unsigned number)
{
    return d->kind == SYS_KIND_VM && sys_vm(d)->joins == number + 1;
}

u64 chip_guests(const struct domain *d)
{
    u64 cores = 0;
    for (unsigned i = 0; i < system_table->n_domains; i++) {
        const struct sys_domain *guest = sys_domain(system_table, i);
        if (joins(guest, d->id))
            cores |= sys_vm(guest)->ues;
    }
    return cores;
}

/* Returns whether the process's cores have more in common than a guest has, which takes no frames for ports. */
static __init_text bool has_more(const struct sys_process *p)
{
    u8 ports = 0;
    for (unsigned i = 0; i < SYS_MAX_PORTS; i++)
        ports |= p->port[i];
    return ports;
}

__init_text const char *chip_guest_check(const struct sys_header *h, const struct sys_domain *d)
{
    unsigned number = sys_vm(d)->joins - 1u;
    u64 ues = sys_vm(d)->ues;
    if (!sys_vm(d)->joins)
        return NULL;
    const struct sys_domain *process = number < h->n_domains ? sys_domain(h, number) : NULL;
    if (!process || process->kind != SYS_KIND_PROCESS || !sys_process(process)->shared_pages)
        return "a guest joins what is no process with shared memory";
    if (has_more(sys_process(process)))
        return "a guest joins a process that has ports of switches";
    if (ues & ~sys_cores(sys_process(process)))
        return "a guest joins a process on a core that is none of the process's";
    for (unsigned i = 0; i < h->n_domains; i++)
        if (sys_domain(h, i) != d && joins(sys_domain(h, i), number) && sys_vm(sys_domain(h, i))->ues & ues)
            return "two guests join a process on one core";
    return NULL;
}

/* The record of the process that a guest joins. */
static const struct sys_domain *joined(const struct sys_vm *guest)
{
    return sys_domain(system_table, guest->joins - 1u);
}

/* Where the process's pages of shared virtual memory are; a core has one guest that joins a process, at most. */
static uintptr_t svm_pages;
static bool begun; /* its first life: numbers of lives come round, so none is that one for sure */

__init_text int chip_guest_map(const struct sys_domain *d, struct stage2 *memory)
{
    if (!sys_vm(d)->joins)
        return 0;
    const struct sys_domain *process = joined(sys_vm(d));
    const struct sys_process *conf = sys_process(process);
    struct chip_info *info = chip_info_create(conf);
    int err = info ? stage2_map(memory, CHIP_INFO, virt_to_phys(info), PAGE_SIZE, 0) : -ENOMEM;
    if (!err)
        err = stage2_map(memory, LIVES_PAGE, SCC_SHARED, PAGE_SIZE, 0);
    for (unsigned core = 0; core < SCC_CORES && !err; core++)
        if (sys_runs_on(conf, core))
            err = stage2_map(memory, CHIP_MPB + core * CHIP_MPB_SIZE, SCC_MPB + core * SCC_MPB_SIZE + MPB_AT,
                             CHIP_MPB_SIZE, S2_WRITE);
    scc_beat_begin();
    if (!err)
        err = stage2_map(memory, CHIP_SHARED, SCC_PROCESSES + conf->shared_page * PAGE_SIZE,
                         conf->shared_pages * PAGE_SIZE, S2_WRITE);
    begun = false;
    svm_pages = SCC_SVM_PAGES + chip_svm_before(system_table, process) * PAGE_SIZE;
    if (!err && conf->svm_pages)
        err = stage2_map(memory, CHIP_SVM, svm_pages, conf->svm_pages * PAGE_SIZE, S2_WRITE);
    return err;
}

void chip_guest_begin(const struct domain *d)
{
    if (!sys_vm(d->conf)->joins)
        return;
    if (!begun) { /* others may have begun before the first one */
        begun = true;
        return;
    }
    const struct sys_process *conf = sys_process(joined(sys_vm(d->conf)));
    clear_pages((char *)scc_mpb(scc_core) + MPB_AT, CHIP_MPB_SIZE / PAGE_SIZE);
    svm_release();
    clear_pages((void *)(SCC_PROCESSES + conf->shared_page * PAGE_SIZE), conf->shared_pages);
    clear_pages((void *)svm_pages, conf->svm_pages);
    svm_release();
}

s32 chip_guest_call(const struct sys_domain *d, u32 number)
{
    if (!sys_vm(d)->joins)
        return -ENOSYS;
    switch (number) {
    case PARA_CHIP_ACQUIRE: svm_acquire(); return 0;
    case PARA_CHIP_RELEASE: svm_release(); return 0;
    default: return -ENOSYS;
    }
}
