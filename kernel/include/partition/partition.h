/* SPDX-License-Identifier: MIT */
/*
 * partition/partition.h - the kernel of shapes that host partitions only (paper 2.1, Fig. 1). There are no threads and
 * one stack for each core. Everything happens in an event: a guest trapped, a timer ran out, a device rang. The
 * architecture calls up for an event. The function called may change which VM is current, and returns; the architecture
 * then resumes the current VM.
 *
 * Ownership: a core's record is in memory of this core alone. A VM's record belongs to the core that runs it. The ready
 * structure is under the lock of bakery.h.
 */
#ifndef AMALGAM_PARTITION_PARTITION_H
#define AMALGAM_PARTITION_PARTITION_H

#include <types.h>
#include <arch/vm.h>
#include <partition/guest.h>
#include <partition/table.h>

/* The state of this core. Memory is per core, so it is a plain variable. Assembly uses current and window_due. */
struct partition_core {
    struct vm *current; /* the VM that is resumed; NULL: idle */
    u32 window_due;     /* time base (low word) at which this core must look again: end of the window, or a tick */
    u8 id;
};
extern struct partition_core core;

extern struct vm_record vm_records[PT_VMS]; /* in shared memory */
#define vm_of(id) (&vm_records[id].vm)

/* Functions that the machine and the guests' devices call. */

/* Check the table and start. Core 0 loads the VMs, the others wait for it. Then start this core's schedule, which
 * sets core.current. Returns 0, or -1 if this core cannot run. */
int partition_start(void);
/* Handle the alarm, or an interrupt on an idle core: windows, requests of other cores, wake-ups. */
void partition_alarm(u32 now);
/* `vm`, which is current, gives its core away once. May change current. */
void partition_yield(struct vm *vm);
/* `vm`, which is current, waits until something is pending for it. Afterwards no VM is current. */
void partition_sleep(struct vm *vm);
/* Something became pending for `vm`, which may be idle. On any core that owns vm (device, tunnel). */
void partition_wake(struct vm *vm);
/* Ask the owner of a VM to handle a request that was left for it (console input, a tunnel's ring). The owner calls
 * guest_timers_run() and guest_tunnel_requests() at its next tick: within 1 ms while the VM has its core. Any core,
 * any VM. */
void partition_knock(struct vm *vm);
/* The guest caused an event for which its table has an action (fault, reset, overrun). Afterwards it may not be
 * current. */
void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value);

/* Returns whether the VM has a monitor's order or its watchdog's reset to follow. */
static inline __attribute__((always_inline)) bool order_waits(const struct vm *vm)
{
    return READ_ONCE(vm->part.order) != vm->part.taken;
}

/* Most bytes of a VM's memory that are written or cleared in one step of loading (load.c). */
#define LOAD_STEP 1024u

static inline bool time_after_eq(u32 a, u32 b) { return (s32)(a - b) >= 0; }

#endif
