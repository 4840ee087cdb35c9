/* SPDX-License-Identifier: MIT */
/* request.c - a caller's side of remote calls; see request.h. The master's is master.c. */
#include <core/cpu.h>
#include <core/sched.h>
#include <generated/cluster_calls.h>

#include "comm.h"
#include "master.h"
#include "policy.h"

/* Put a request into the list. Who takes it by its own exchange sees also what was stored before the exchanges of those
 * before it. Interrupts must be off, because the master waits between the two stores. */
static inline void arrive(struct request *r)
{
    r->earlier = r; /* a mark: not stored yet */
    policy_told(r);
    struct request *earlier = __atomic_exchange_n(&arrivals, r, __ATOMIC_SEQ_CST);
    __atomic_store_n(&r->earlier, earlier, __ATOMIC_RELAXED);
    policy_told(r);
}

static inline u32 state_of(const struct request *r)
{
    policy_look(&r->state);
    return __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
}

static void sleep_until_left(struct request *r)
{
    const struct thread *self = thread_self();
    for (u32 state; (state = state_of(r)) != REQUEST_LEFT;) {
        if (state == REQUEST_DONE) {
            cpu_relax(); /* the master is about to finish with the request */
            continue;
        }
        u8 why = READ_ONCE(self->stop) ? REQUEST_ENDS : READ_ONCE(self->signal) ? REQUEST_CALLED : REQUEST_STAYS;
        if (why > r->cancelled) {
            WRITE_ONCE(r->cancelled, why);
            policy_told(r);
            request_again();
        }
        thread_block(TICKS_NEVER);
    }
}

/* Returns false if the request has been finished meanwhile. */
static bool fall_asleep(struct request *r)
{
    u32 awake = REQUEST_AWAITED;
    policy_look(&r->state);
    bool asleep =
        __atomic_compare_exchange_n(&r->state, &awake, REQUEST_ASLEEP, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    policy_told(&r->state);
    return asleep;
}

static inline void wait_asleep(struct request *r)
{
    irq_enable();
    r->caller = thread_self();
    policy_told(r);
    if (fall_asleep(r))
        sleep_until_left(r);
    irq_disable();
}

/* Wait for more turns, unless an interrupt is pending or this is the master's core, then asleep. Most calls are
 * answered in the first turn. Interrupts are off, but while it sleeps. */
static __noinline void wait_longer(struct request *r)
{
    bool answered = false;
    for (unsigned i = 1; i < TURNS && !answered && this_cpu()->id != MASTER && !cpu_is_due(); i++) {
        cpu_give_way();
        answered = state_of(r) != REQUEST_AWAITED;
    }
    if (answered)
        return;
    wait_asleep(r);
}

static inline void hand_over(struct request *r)
{
    r->peers = 0;
    r->state = REQUEST_AWAITED;
    policy_told(&r->state);
    policy_leave(r);
    arrive(r);
    wake_master();
}

static inline s64 result_of(struct request *r)
{
    policy_return(r);
    return r->result;
}

static inline s64 request_carry_out(struct request *r)
{
    hand_over(r);
    cpu_give_way();
    if (unlikely(state_of(r) == REQUEST_AWAITED))
        wait_longer(r);
    return result_of(r);
}

s64 request_run(struct request *r) { return request_carry_out(r); }

s64 request_run_long(struct request *r)
{
    hand_over(r);
    wait_asleep(r);
    return result_of(r);
}

static s64 nothing(struct request *r) { return 0; }

/* A request that does nothing has no fields but those that every one has. It is in line, as it is how long the way
 * takes that is asked for. */
__noinline s64 cluster_call_remote_null(struct process_thread *t)
{
    struct comm c;
    c.request.drop = NULL;
    c.request.cancelled = REQUEST_STAYS;
    c.request.serve = nothing;
    c.data = NULL;
    return request_carry_out(&c.request);
}
