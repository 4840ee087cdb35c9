/* SPDX-License-Identifier: MIT */
/*
 * process.c - channels that end at a process (core/channel.h): memory that it shares with a guest or another process,
 * and a bell in each direction.
 *
 * The memory of the system's channel n is mapped n MiB above PROCESS_TUNNELS while the channel is granted, in every run
 * of the process. Its tables are allocated at creation; only process_share() writes their entries. After a withdrawal
 * an access is a fault.
 *
 * A bell is a bit in process.bells. Its waiters are in the list of waiters with an odd address. A ring wakes one of
 * them or sets the bit. A ring that the last run has not taken stays for the next run: no ring is lost, and one too
 * many only makes a program look once more.
 *
 * When the peer ends, each wait on the channel's bell or on a word in its memory ends with -EPIPE. A thread that does
 * not wait then is told by its next wait there, after it has taken a ring that came before. So a thread is told of each
 * end once, however late it waits, and may then wait for the peer's next run (tests/model/process_bell.pml).
 */
#include <core/channel.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <hal/memory.h>
#include <process/memory.h>
#include <process/part.h>
#include <process/tunnel.h>
#include <process/waiters.h>

_Static_assert(PROCESS_CALL_TUNNEL_INFO_NUMBER == (int)CHANNEL_BELL &&
                   PROCESS_CALL_TUNNEL_INFO_RUNNING == (int)CHANNEL_RUNNING,
               "same order");

static u64 tunnel_address(unsigned n) { return PROCESS_TUNNELS + n * MIB; }
static u64 bell_address(unsigned n) { return tunnel_address(n) + 1; }
static u64 channel_of(u64 word) { return (word - PROCESS_TUNNELS) / MIB; }

/* Mapping a page of the process's own allocates the tables; map_program() unmaps it. */
__cold __init_text static int make_tables(struct process *p)
{
    int err = 0;
    for (unsigned n = 0; n < system_table->n_channels && !err; n++) {
        const struct sys_channel *c = sys_channel(system_table, n);
        if (c->domain_a != p->domain->id && c->domain_b != p->domain->id)
            continue;
        p->channel[p->n_channels++] = (u8)n;
        err = space_map(&p->space, tunnel_address(n), p->memory, PAGE_SIZE, 0);
    }
    return err;
}

PROCESS_PART(tunnels, .at = { [PROCESS_MAPS] = make_tables });

static bool waits_on(const struct process_thread *t, unsigned n) { return t->word - tunnel_address(n) < MIB; }

/* Set or clear the bit of channel n. When it is cleared, end all waits on its bell and its words. */
__cold static void set_granted(struct process *p, unsigned n, bool granted)
{
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->tunnels = (p->tunnels & ~(1u << n)) | (u32)granted << n;
    for (unsigned i = 0; i < p->n; i++)
        if (!granted && waits_on(&p->thread[i], n))
            process_waiter_end(&p->thread[i], EACCES);
    spin_unlock_irqrestore(&p->lock, flags);
    sched_poll();
}

__cold int process_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot)
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
    unsigned long flags = irq_save();
    spin_lock_here(&p->lock);
    if (!process_waiters_wake_here(p, bell_address(n), 1))
        p->bells |= 1u << n;
    spin_unlock(&p->lock);
    irq_restore(flags);
}

__cold void process_peer_ended(struct domain *d, unsigned n)
{
    struct process *p = d->impl;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    for (unsigned i = 0; i < p->n; i++) {
        struct process_thread *t = &p->thread[i];
        if (waits_on(t, n))
            process_waiter_end(t, EPIPE);
        else
            t->lost |= 1u << n;
    }
    spin_unlock_irqrestore(&p->lock, flags);
}

/*
 * The peer may start or end meanwhile, and its domain is not held. Its record stays, because systems are created and
 * destroyed whole. A thread leaves its list under peer->lock before the thread ends. start() takes that lock before it
 * frees the threads of the last run. So a thread that is in the list, or was removed under the lock, exists until it
 * has been woken.
 */
__noinline s64 process_wake_peer(struct process *p, u64 word, u64 count)
{
    u64 n = channel_of(word);
    if (n >= SYS_MAX_CHANNELS || !(READ_ONCE(p->tunnels) >> n & 1))
        return 0;
    const struct sys_channel *c = sys_channel(system_table, (unsigned)n);
    u16 id = c->domain_a == p->domain->id ? c->domain_b : c->domain_a;
    if (id == SYS_HOST || domains[id].conf->kind != SYS_KIND_PROCESS || !domains[id].impl)
        return 0;
    struct process *peer = domains[id].impl;
    spin_lock_here(&peer->lock);
    s64 woken = process_waiters_wake_here(peer, word, count);
    spin_unlock(&peer->lock);
    return woken;
}

/* Calls */

/* process_tunnel_check() for channel n */
static s64 check(struct process_thread *t, u32 bit)
{
    if (!(t->process->tunnels & bit))
        return -EACCES;
    if (!(t->lost & bit))
        return 0;
    t->lost &= ~bit;
    return -EPIPE;
}

s64 process_tunnel_check(struct process_thread *t, u64 word) { return check(t, 1u << channel_of(word)); }

/* Take a ring of channel n, or wait for one. Returns 0 or an error of the call tunnel_wait. */
static s64 bell_wait(struct process_thread *t, unsigned n, u64 deadline)
{
    struct process *p = t->process;
    u32 bit = 1u << n;
    unsigned long flags = irq_save();
    spin_lock_here(&p->lock);
    bool rung = p->bells & p->tunnels & bit;
    s64 err = rung ? 0 : check(t, bit);
    if (rung)
        p->bells &= ~bit;
    else if (!err)
        process_waiter_add(t, bell_address(n));
    spin_unlock(&p->lock);
    if (!rung && !err)
        err = process_waiter_block_here(t, deadline);
    irq_restore(flags);
    process_poll();
    return err;
}

__cold s64 process_call_tunnel_info(struct process_thread *t, u32 index, u32 field)
{
    s64 answer = channel_ops->info(t->process->domain, index, field);
    return answer >= 0 && field == CHANNEL_PLACE ? (s64)tunnel_address((unsigned)answer) : answer;
}

s64 process_call_tunnel_notify(struct process_thread *t, u32 index)
{
    struct process *p = t->process;
    int err = index < p->n_channels ? channel_ops->ring(p->domain, p->channel[index]) : -ENOENT;
    sched_poll();
    return err;
}

s64 process_call_tunnel_wait(struct process_thread *t, u32 index, u64 deadline)
{
    struct process *p = t->process;
    return index < p->n_channels ? bell_wait(t, p->channel[index], deadline) : -ENOENT;
}

__noinline s64 process_call_tunnel_call(struct process_thread *t, u32 index, u64 deadline)
{
    struct process *p = t->process;
    if (index >= p->n_channels)
        return -ENOENT;
    int err = channel_ops->ring(p->domain, p->channel[index]);
    return err ? err : bell_wait(t, p->channel[index], deadline);
}
