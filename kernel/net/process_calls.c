/* SPDX-License-Identifier: MIT */
/* process_calls.c - the calls of a process that has ports of switches: kernel/api/port.yaml describes them. */
#include <core/cpu.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/port_calls.h>
#include <process/memory.h>
#include <process/waiters.h>
#include <string.h>

#include "process_port.h"

_Static_assert(FRAME_MAX == 1522 && FRAME_MIN == 14, "as port.yaml says");

/* Find the port of a handle. It is the process's own in all its runs, so it is not kept in use. Returns 0 or an error.
 */
static int find(struct process_thread *t, u32 handle, struct process_port **port)
{
    struct handle_object *o;
    unsigned long flags = irq_save();
    int err = handle_take(t->process, handle, HANDLE_NET, HANDLE_READ | HANDLE_WRITE, &o);
    if (!err) {
        *port = container_of(o, struct process_port, object);
        handle_put(o);
    }
    irq_restore(flags);
    return err;
}

s64 port_call_port_send(struct process_thread *t, u32 handle, u64 data, u32 n)
{
    struct process_port *p;
    u8 bytes[FRAME_MAX];
    int err = find(t, handle, &p);
    if (err)
        return err;
    if (n < FRAME_MIN || n > FRAME_MAX)
        return -EINVAL;
    if (process_read(t, bytes, data, n))
        return -EFAULT;
    err = process_port_send(p, bytes, n) ? -ENOSPC : 0;
    sched_poll(); /* for a thread that the frame has woken */
    return err;
}

/* Copy the oldest frame out of the ring. Returns its bytes; 0: there is none. */
static u32 take(struct process_port *p, struct net_switch *sw, u8 *to)
{
    u32 n = 0;
    spin_lock_by_tries(net_switch_lock(sw));
    if (p->put != p->taken) {
        u32 place = p->taken % PORT_FRAMES;
        n = p->length[place];
        memcpy(to, p->ring + place * PORT_PLACE, n);
        WRITE_ONCE(p->taken, p->taken + 1);
    }
    spin_unlock(net_switch_lock(sw));
    irq_enable();
    return n;
}

s64 port_call_port_receive(struct process_thread *t, u32 handle, u64 to, u32 n)
{
    struct process_port *p;
    u8 bytes[FRAME_MAX];
    int err = find(t, handle, &p);
    if (err)
        return err;
    struct net_switch *sw = process_port_switch(p);
    u32 length = sw ? take(p, sw, bytes) : 0;
    if (!length)
        return -EAGAIN;
    err = process_write(t, to, bytes, MIN(n, length));
    return err ? err : (s64)length;
}

s64 port_call_port_wait(struct process_thread *t, u32 handle, u64 deadline)
{
    struct process_port *p;
    s64 result = find(t, handle, &p);
    if (result)
        return result;
    unsigned long flags = irq_save();
    spin_lock_here(&t->process->lock);
    bool none = READ_ONCE(p->put) == READ_ONCE(p->taken);
    if (none)
        process_waiter_add(t, process_port_word(p));
    spin_unlock(&t->process->lock);
    if (none)
        result = process_waiter_block_here(t, deadline);
    irq_restore(flags);
    return result;
}

s64 port_call_port_info(struct process_thread *t, u32 handle, u32 field)
{
    struct process_port *p;
    int err = find(t, handle, &p);
    if (err)
        return err;
    s64 address = 0;
    for (unsigned i = 0; i < MAC_BYTES; i++)
        address = address << 8 | p->mac[i];
    const s64 answer[] = {
        [PORT_CALL_PORT_INFO_ADDRESS] = address,
        [PORT_CALL_PORT_INFO_NETWORK] = p->number,
        [PORT_CALL_PORT_INFO_UPLINK] = p->uplink,
        [PORT_CALL_PORT_INFO_LOST] = (s64)READ_ONCE(p->port.lost),
    };
    return answer[field];
}
