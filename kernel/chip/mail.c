/* SPDX-License-Identifier: MIT */
/*
 * mail.c - messages between the runs of one process on several cores of an SCC; kernel/api/scc.yaml describes the
 * calls.
 *
 * A core's message passing buffer belongs to one process (chip.c), and so does the kernel's mail there: what comes
 * from a core where the process does not run is dropped. The kernel's own thread does not answer there; it does where a
 * guest runs in the process's place, so nothing is sent there.
 *
 * Who waits for ever waits as long as the kernels of the process's cores live.
 */
#include <board/scc.h>
#include <errors.h>
#include <generated/scc_calls.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <mail/mail.h>
#include <process/memory.h>
#include <process/part.h>

#include "chip.h"

_Static_assert((int)SCC_CALL_MAIL_RECEIVE_POLL == MAIL_POLL && (int)SCC_CALL_MAIL_RECEIVE_INTERRUPT == MAIL_INTERRUPT &&
                   (int)SCC_CALL_MAIL_RECEIVE_ADAPTIVE == MAIL_ADAPTIVE,
               "one numbering");

#define LOOK_NS 1000000000ull /* between two looks at whether they do */

static bool receiving; /* a thread is in mail_receive() */

static bool has_shared_pages(const struct process *p) { return sys_process(p->domain->conf)->shared_pages; }

static bool runs_on(const struct process *p, unsigned core)
{
    return core < SCC_CORES && sys_runs_on(sys_process(p->domain->conf), core) &&
           !(CHIP_GUESTS && chip_guests(p->domain) >> core & 1);
}

/* Check a message's receiver and size, and copy it from the process. */
static int message_of(struct process_thread *t, u32 core, u64 data, u32 n, u8 *message)
{
    if (!has_shared_pages(t->process) || !runs_on(t->process, core))
        return -EPERM;
    if (!n || n > MAIL_BYTES)
        return -EINVAL;
    return process_read(t, message, data, n) ? -EFAULT : 0;
}

s64 scc_call_mail_send(struct process_thread *t, u32 core, u64 data, u32 n)
{
    u8 message[MAIL_BYTES];
    int err = message_of(t, core, data, n, message);
    return err ? err : mail_send(core, message, n);
}

s64 scc_call_mail_send_sync(struct process_thread *t, u32 to, u64 data, u64 deadline)
{
    u8 message[MAIL_BYTES];
    u32 how = to >> 16, core = to >> 8 & 0xff, n = to & 0xff;
    int err = message_of(t, core, data, n, message);
    if (err)
        return err;
    return deadline == ~0ull ? -EINVAL : mail_send_sync(core, message, n, how, time_from_ns(deadline));
}

/* Wait for a message of the process itself. */
static int receive(const struct process *p, struct mail *m, enum mail_wait how, ticks_t deadline)
{
    for (;;) {
        int err = mail_await(m, how, deadline == TICKS_NEVER ? time_after(LOOK_NS) : deadline);
        if (err == -ETIMEDOUT && deadline == TICKS_NEVER) {
            if (chip_lost(p))
                return -ENODEV;
        } else if (err || sys_runs_on(sys_process(p->domain->conf), m->from)) {
            return err;
        }
    }
}

s64 scc_call_mail_receive(struct process_thread *t, u64 data, u32 how, u64 deadline)
{
    struct mail m;
    if (!has_shared_pages(t->process))
        return -EPERM;
    if (__atomic_exchange_n(&receiving, true, __ATOMIC_ACQUIRE))
        return -EBUSY;
    int err = receive(t->process, &m, how, deadline == ~0ull ? TICKS_NEVER : time_from_ns(deadline));
    __atomic_store_n(&receiving, false, __ATOMIC_RELEASE);
    if (err)
        return err;
    return process_write(t, data, m.data, m.bytes) ? -EFAULT : m.from << 8 | m.bytes;
}

s64 scc_call_mail_core(struct process_thread *t) { return scc_core; }

/* The next life of the process does not see what was sent to this one: at most what all senders have room for. */
static int drop_mail(struct process *p)
{
    struct mail m;
    for (unsigned i = 0; has_shared_pages(p) && i < MAIL_SLOTS * SCC_CORES && !mail_receive(&m); i++)
        ;
    return 0;
}

PROCESS_PART(mail, .at = { [PROCESS_ENDS] = drop_mail });
