/* SPDX-License-Identifier: MIT */
/*
 * svm.c - pages that the runs of one process on several cores of an SCC share; kernel/api/scc.yaml describes the calls,
 * svm/space.h what they do.
 *
 * A kernel has one such process (chip.c). A run that has ended, or has had an error of a call that waits, is in no
 * epoch with the others any more, and its next such call meets them anew, without regions (svm/meet.c).
 */
#include <core/log.h>
#include <errors.h>
#include <generated/scc_calls.h>
#include <process/chip.h>
#include <process/part.h>
#include <svm/space.h>

#include "chip.h"

_Static_assert((int)SCC_CALL_SVM_ALLOC_STRONG == SVM_STRONG && (int)SCC_CALL_SVM_ALLOC_LAZY == SVM_LAZY &&
                   (int)SCC_CALL_SVM_ALLOC_READ_ONLY == SVM_READ_ONLY && (int)SCC_CALL_SVM_ALLOC_ONCE == SVM_ONCE &&
                   (int)SCC_CALL_SVM_ALLOC_TWINS == SVM_TWINS,
               "one numbering");
_Static_assert((int)SCC_CALL_SVM_CHANGE_TWINS == SVM_TWINS, "here, too");

static bool calling; /* a thread is in a collective call */

static bool has_svm(const struct process *p) { return sys_process(p->domain->conf)->svm_pages; }

static int begin(const struct process_thread *t)
{
    if (!has_svm(t->process))
        return -EPERM;
    if (__atomic_exchange_n(&calling, true, __ATOMIC_ACQUIRE))
        return -EBUSY;
    return 0;
}

static int end(int err)
{
    __atomic_store_n(&calling, false, __ATOMIC_RELEASE);
    return err;
}

s64 scc_call_svm_alloc(struct process_thread *t, u32 pages, u32 model)
{
    uintptr_t at = 0;
    int err = begin(t);
    if (!err)
        err = end(svm_space_alloc(pages, model, &at));
    return err ? err : (s64)at;
}

s64 scc_call_svm_free(struct process_thread *t, u64 at)
{
    int err = begin(t);
    return err ? err : end(svm_space_free(at));
}

s64 scc_call_svm_change(struct process_thread *t, u64 at, u32 model)
{
    int err = begin(t);
    return err ? err : end(svm_space_change(at, model));
}

s64 scc_call_svm_barrier(struct process_thread *t)
{
    int err = begin(t);
    return err ? err : end(svm_barrier());
}

s64 scc_call_svm_acquire(struct process_thread *t)
{
    if (!has_svm(t->process))
        return -EPERM;
    svm_acquire();
    return 0;
}

s64 scc_call_svm_release(struct process_thread *t)
{
    if (!has_svm(t->process))
        return -EPERM;
    svm_release();
    return 0;
}

s64 scc_call_svm_lock(struct process_thread *t, u32 n) { return has_svm(t->process) ? svm_lock(n) : -EPERM; }
s64 scc_call_svm_unlock(struct process_thread *t, u32 n) { return has_svm(t->process) ? svm_unlock(n) : -EPERM; }

s64 scc_call_svm_rank(struct process_thread *t) { return has_svm(t->process) ? (s64)svm_rank() : -EPERM; }
s64 scc_call_svm_members(struct process_thread *t) { return has_svm(t->process) ? (s64)svm_members() : -EPERM; }

/* A thread that has to end goes on, and ends. */
bool scc_fault(struct process_thread *t, u64 at, unsigned access)
{
    if (!has_svm(t->process) || !svm_space_has(at) || access & SPACE_EXEC)
        return false;
    int err = svm_space_access(at, access & SPACE_WRITE);
    if (err && err != -ECANCELED && err != -EFAULT && err != -EACCES)
        printk("process %s: no kernel gives the shared page at %llx: error %d\n", t->process->domain->conf->name, at,
               err);
    return !err || err == -ECANCELED;
}

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    if (chip_svm_before(h, d) + sys_process(d)->svm_pages > SVM_PAGES)
        return "the processes have more shared virtual memory than there is";
    if (sys_process(d)->svm_pages && !sys_process(d)->shared_pages)
        return "a process has shared virtual memory and no other shared memory";
    return NULL;
}

static __init_text int map(struct process *p)
{
    const struct sys_process *conf = sys_process(p->domain->conf);
    if (!has_svm(p))
        return 0;
    return svm_space_give(&p->space, sys_cores(conf) & ~(CHIP_GUESTS ? chip_guests(p->domain) : 0), CHIP_SVM,
                          chip_svm_before(system_table, p->domain->conf), conf->svm_pages);
}

static int enter(struct process *p)
{
    if (has_svm(p))
        svm_space_enter();
    return 0;
}

static int leave(struct process *p)
{
    if (has_svm(p))
        svm_space_leave();
    return 0;
}

PROCESS_PART(svm, .check = check, .at = { [PROCESS_MAPS] = map, [PROCESS_BEGINS] = enter, [PROCESS_ENDS] = leave });
