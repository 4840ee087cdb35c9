/* SPDX-License-Identifier: MIT */
/*
 * call.c - the calls of Linux (api/attach.h). Its kernel is as hostile as any guest: each argument is checked before
 * anything changes, and a CPU only acts for itself.
 *
 * Calls run with GIF clear on the calling CPU, so they are short; the lock orders those of different CPUs.
 */
#include <attach/upcalls.h>
#include <core/frames.h>
#include <core/lock.h>
#include <errors.h>
#include <hal/attach.h>

#include "given.h"

static struct spinlock lock;

/* Refused as long as Linux has given anything: a bare CPU could reach it. */
static s64 detach(struct linux_cpu *l, bool *leave)
{
    if (attach_anything_given())
        return -EBUSY;
    *leave = true;
    linux_cpu_leaves(l);
    return 0;
}

static s64 attach_notify(u64 what)
{
    if (what > 1)
        return -EINVAL;
    core_ring(what);
    return 0;
}

static s64 count(u64 which)
{
    switch (which) {
    case ATTACH_COUNT_EXITS: return (s64)linux_exits();
    case ATTACH_COUNT_REFUSED: return (s64)attach_refused.count;
    case ATTACH_COUNT_REFUSED_AT: return (s64)attach_refused.at;
    case ATTACH_COUNT_REFUSED_RIP: return (s64)(attach_refused.rip & ~0ul >> 1);
    case ATTACH_COUNT_CORES: return cores_given();
    case ATTACH_COUNT_FREE: return cores_dead() ? -EIO : (s64)frames_free_bytes();
    case ATTACH_COUNT_GIVEN: return (s64)attach_memory_given();
    case ATTACH_COUNT_STRAY: return (s64)unexpected_interrupts;
    default: return -EINVAL;
    }
}

static s64 cpu_give(struct linux_cpu *l, u64 port, u64 other)
{
    if ((port | other) > 0xffff)
        return -EINVAL;
    if (linux_cpu_state(l) != ATTACH_CPU_LINUX)
        return -EBUSY;
    return attach_may_give() ? core_prepare(l, (u16)port, (u16)other) : -EAGAIN;
}

/* Returns whether a call gives the kernel something or takes locks of its cores. */
static bool needs_cores(u64 number)
{
    switch (number) {
    case ATTACH_CALL_CPU_GIVE:
    case ATTACH_CALL_CPU_TAKE:
    case ATTACH_CALL_MEM_GIVE:
    case ATTACH_CALL_MEM_COMMIT:
    case ATTACH_CALL_MEM_TAKE: return true;
    default: return false;
    }
}

static s64 call_locked(struct linux_cpu *l, u64 number, u64 a, u64 b, bool *leave)
{
    struct linux_cpu *other;
    if (number == ATTACH_CALL_DETACH) /* before the switch, because its instructions are counted */
        return detach(l, leave);
    switch (number) {
    case ATTACH_CALL_CPU_GIVE: return cpu_give(l, a, b);
    case ATTACH_CALL_CPU_CANCEL:
        if (linux_cpu_state(l) != ATTACH_CPU_DYING)
            return -EINVAL;
        core_cancel(l);
        return 0;
    case ATTACH_CALL_CPU_TAKE:
        other = linux_cpu_find((u32)a);
        return other && a >> 32 == 0 ? core_ask_back(other) : -ENODEV;
    case ATTACH_CALL_CPU_STATE:
        other = linux_cpu_find((u32)a);
        return other && a >> 32 == 0 ? (s64)linux_cpu_state(other) : -ENODEV;
    case ATTACH_CALL_GUARD: return attach_guard(a);
    case ATTACH_CALL_MEM_GIVE: return attach_memory_give(a, b);
    case ATTACH_CALL_MEM_COMMIT: return attach_memory_commit(a, b);
    case ATTACH_CALL_MEM_TAKE: return attach_memory_take(a, b);
    case ATTACH_CALL_MEM_SHOW: return attach_memory_show(a, b);
    default: return -ENOSYS;
    }
}

void attach_calls_end(void) { spin_lock(&lock); }

s64 attach_call(struct linux_cpu *l, u64 number, u64 a, u64 b, bool *leave)
{
    switch (number) {
    case ATTACH_CALL_PING: return ATTACH_ABI;
    case ATTACH_CALL_NOTIFY: return attach_notify(a);
    case ATTACH_CALL_FLUSH: linux_cpu_flush(l); return 0;
    case ATTACH_CALL_COUNT: return count(a);
    }
    if (needs_cores(number) && cores_dead())
        return -EIO;
    spin_lock(&lock);
    s64 result = call_locked(l, number, a, b, leave);
    spin_unlock(&lock);
    return result;
}
