/* SPDX-License-Identifier: MIT */
/*
 * partition/partition.h - the kernel of shapes that host partitions only (paper 2.1, Fig. 1):
 * no threads, one stack a core, everything happens in an event: a guest trapped, a timer
 * ran out, a device rang.  The architecture calls up when something happened; what is
 * called may change which VM is current, and returns; the architecture resumes it.
 *
 * Who owns what: the per-core record is in memory of this core alone.  A VM's record belongs to the
 * core that runs it.  The ready structure is under the lock of bakery.h.
 */
#ifndef AMALGAM_PARTITION_PARTITION_H
#define AMALGAM_PARTITION_PARTITION_H

#include <types.h>
#include <arch/vm.h>
#include <partition/guest.h>
#include <partition/table.h>

/* What this core knows. Per-core memory, so an ordinary variable; assembly uses current and window_due. */
struct partition_core {
    struct vm *current; /* whose context is resumed; NULL: idle */
    u32 window_due;     /* time base (low) at which this core must look again: window end or bounded tick */
    u8 id;
};
extern struct partition_core core;

extern struct vm_record vm_records[PT_VMS]; /* shared memory */
#define vm_of(id) (&vm_records[id].vm)

/* What the machine and the guests' devices call. */

/* Check the table; core 0 loads, the others wait for it; then start this core's schedule (sets core.current). */
int partition_start(void);
/* The alarm passed, or an interrupt came while nothing else was to do: windows, requests of other cores, wake-ups. */
void partition_alarm(u32 now);
/* `vm` (current) gives its core away, this once. May change current. */
void partition_yield(struct vm *vm);
/* `vm` (current) waits until something is pending for it. Nobody is current afterwards. */
void partition_sleep(struct vm *vm);
/* Something became pending for `vm`, which may be idle; any core that owns vm (device, tunnel). */
void partition_wake(struct vm *vm);
/* Another core's VM is to look at what was left for it (console input, a tunnel's ring); any core, any VM. Its owner
 * calls timers_run() and tunnel_requests() at its next tick, 1 ms from now at most while it has its core. */
void partition_knock(struct vm *vm);
/* The guest did what its table has an action for (fault, reset, overrun). It may not be current any more. */
void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value);

/* Bytes of a VM's memory that are written at once while it is loaded (load.c); nothing longer is copied or cleared. */
#define LOAD_STEP 1024u

static inline bool time_after_eq(u32 a, u32 b) { return (s32)(a - b) >= 0; }

#endif
