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
#include <arch/cpu.h>
#include <arch/vm.h>
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

/* ---- up: what the architecture calls (partition/) ---- */

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

/* ---- down: what the architecture gives (kernel/arch/<isa>/) ---- */

/* Free-running counter, low 32 bits; compare by difference. The cores' agree (partition/start.c sets them). */
static inline __attribute__((always_inline)) u32 hal_now(void) { return time_base(); }
void hal_alarm_update(void);      /* after window_due or a timer of current changed: set the hardware alarm */
void hal_switch(struct vm *next); /* make next current: saves what only the hardware holds of the old one. NULL: idle */
void vm_context_clear(struct vm *vm, u32 piece); /* registers, TLB, devices of a former life: zero, as all memory is for
                                                  * the first; in pieces 0 to CONTEXT_PIECES - 1 */
#define CONTEXT_PIECES 4u
void vm_context_reset(struct vm *vm); /* the same as after a reset, from zero; entry and r3..r7 from vm->conf */
void code_written(void *p,
                  u32 size); /* instructions were written there: make this core fetch them (vm load, patches) */
#define TICK 333333u         /* 1 ms at 333 MHz: how long a request of another core waits at most, if nothing rings */
u32 hal_look_ticks(void);    /* how often a core has to look by itself: TICK, or more where doorbells ring */
void hal_doorbell(u32 id); /* ask a core to call partition_alarm() now; it may come to nothing, its tick comes anyway */
void hal_report(const char *what, u32 a, u32 b); /* "amalgam: core N: what a b" on the console, hexadecimal */
/* The same for an event of a VM, later: the last one of each VM, one line at a time (arch/ppc405/report.c). Constant
 * time. */
void hal_report_event(u32 id, const char *what, u32 a, u32 b);
__noreturn void hal_core_stop(void);   /* this core is done for good */
__noreturn void hal_board_reset(void); /* the whole board's run is over */

/* Bytes of a VM's memory that are written at once while it is loaded (load.c); nothing longer is copied or cleared. */
#define LOAD_STEP 1024u

static inline bool time_after_eq(u32 a, u32 b) { return (s32)(a - b) >= 0; }

#endif
