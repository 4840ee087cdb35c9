/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - channels that end at a process (core/channel.h): memory that it shares with a guest or another process,
 * and a bell in each direction.
 *
 * The memory of the system's channel n is mapped n MiB above PROCESS_TUNNELS while the channel is granted, in every run
 * of the process. Its tables are allocated at creation; only process_share() writes their entries. After a withdrawal
 * an access is a fault.
 *
 * A bell is a bit in process.bells. Its waiters are in the list of waiters with an odd address. A ring wakes one of
 * them or sets the bit. A ring that the last run has not taken stays for the next run: no ring is lost, and one too
 * many only makes a program look once more.
 */
#include <core/channel.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <hal/memory.h>

#include "process.h"

_Static_assert(PROCESS_CALL_TUNNEL_INFO_NUMBER == (int)CHANNEL_BELL &&
                   PROCESS_CALL_TUNNEL_INFO_STATE == (int)CHANNEL_GRANTED,
               "same order");

static u64 tunnel_address(unsigned n) { return PROCESS_TUNNELS + n * MIB; }
static u64 bell_address(unsigned n) { return tunnel_address(n) + 1; }

/* Mapping a page of the process's own allocates the tables; map_program() unmaps it. */
__init_text int process_tunnels_init(struct process *p)
{
    int err = 0;
    for (unsigned n = 0; n < system_table->n_channels && !err; n++) {
        const struct sys_channel *c = sys_channel(system_table, n);
        if (c->domain_a == p->domain->id || c->domain_b == p->domain->id)
            err = space_map(&p->space, tunnel_address(n), p->memory, PAGE_SIZE, 0);
    }
    return err;
}

/* Set or clear the bit of channel n. When it is cleared, wake all waiters for the bell. */
static void set_granted(struct process *p, unsigned n, bool granted)
{
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->tunnels = (p->tunnels & ~(1u << n)) | (u32)granted << n;
    if (!granted)
        process_waiters_wake(p, bell_address(n), ~0ull);
    spin_unlock_irqrestore(&p->lock, flags);
    sched_poll();
}

int process_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot)
{
    struct process *p = d->impl;
    domain_hold(d); /* a start clears the space and frees the threads that process_flush() looks at */
    if (!pa)
        set_granted(p, n, false);
    for (u64 done = 0, span; done < size; done += PAGE_SIZE) {
        space_entry_t *entry = space_walk(&p->space, tunnel_address(n) + done, &span);
        space_entry_t shown = pa ? space_entry_of(pa + done, prot & S2_WRITE ? SPACE_WRITE : 0) : 0;
        __atomic_store_n(entry, shown, __ATOMIC_RELEASE);
    }
    if (!pa || SPACE_RECALLS_NOTHING)
        process_flush(p, NULL);
    if (pa)
        set_granted(p, n, true);
    domain_release(d);
    return 0;
}

void process_doorbell(struct domain *d, unsigned n)
{
    struct process *p = d->impl;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (!process_waiters_wake(p, bell_address(n), 1))
        p->bells |= 1u << n;
    spin_unlock_irqrestore(&p->lock, flags);
}

__noinline s64 process_wake_peer(struct process *p, u64 word, u64 count)
{
    u64 n = (word - PROCESS_TUNNELS) / MIB;
    if (n >= SYS_MAX_CHANNELS || !(READ_ONCE(p->tunnels) >> n & 1))
        return 0;
    const struct sys_channel *c = sys_channel(system_table, (unsigned)n);
    u16 id = c->domain_a == p->domain->id ? c->domain_b : c->domain_a;
    if (id == SYS_HOST || domains[id].conf->kind != SYS_KIND_PROCESS || !domains[id].impl)
        return 0;
    struct process *peer = domains[id].impl;
    unsigned long flags = spin_lock_irqsave(&peer->lock);
    s64 woken = process_waiters_wake(peer, word, count);
    spin_unlock_irqrestore(&peer->lock, flags);
    return woken;
}

/* Calls */

static s64 info(const struct process_thread *t, u32 index, enum channel_field field)
{
    return channel_ops->info(t->process->domain, index, field);
}

/* Take a ring of channel n, or wait for one. Returns 0 or an error of the call tunnel_wait. */
static s64 bell_wait(struct process_thread *t, unsigned n, u64 deadline)
{
    struct process *p = t->process;
    u32 bit = 1u << n;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    s64 err = p->tunnels & bit ? 0 : -EACCES;
    bool rung = p->bells & bit;
    if (!err && rung)
        p->bells &= ~bit;
    else if (!err)
        process_waiter_add(t, bell_address(n));
    spin_unlock_irqrestore(&p->lock, flags);
    if (err || rung) {
        sched_poll();
        return err;
    }
    err = process_waiter_block(t, deadline);
    return err || READ_ONCE(p->tunnels) & bit ? err : -EACCES;
}

s64 process_call_tunnel_info(struct process_thread *t, u32 index, u32 field)
{
    s64 answer = info(t, index, field);
    return answer >= 0 && field == CHANNEL_PLACE ? (s64)tunnel_address((unsigned)answer) : answer;
}

s64 process_call_tunnel_notify(struct process_thread *t, u32 index)
{
    int err = channel_ops->notify(t->process->domain, index);
    sched_poll();
    return err;
}

s64 process_call_tunnel_wait(struct process_thread *t, u32 index, u64 deadline)
{
    s64 n = info(t, index, CHANNEL_PLACE);
    return n < 0 ? n : bell_wait(t, (unsigned)n, deadline);
}

__noinline s64 process_call_tunnel_call(struct process_thread *t, u32 index, u64 deadline)
{
    s64 n = info(t, index, CHANNEL_PLACE), err = n < 0 ? n : channel_ops->notify(t->process->domain, index);
    return err < 0 ? err : bell_wait(t, (unsigned)n, deadline);
}
