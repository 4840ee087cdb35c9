/* SPDX-License-Identifier: MIT */
/*
 * partition/guest.h - the contract beneath kernel/partition/: what the machine gives it, and what the model of a guest
 * does when the scheduler says so.  Nothing else of either is named there.
 *
 * All of it is called on the core that owns the VM, with interrupts off, and takes a bounded time (docs/wcet.md).
 */
#ifndef AMALGAM_PARTITION_GUEST_H
#define AMALGAM_PARTITION_GUEST_H

#include <types.h>
#include <arch/cpu.h>
#include <arch/vm.h>

/* ---- the machine: kernel/arch/<isa>/, kernel/board/<board>/ ---- */

/* Free-running counter, low 32 bits; compare by difference. The cores' agree (partition/start.c sets them). */
static inline __attribute__((always_inline)) u32 hal_now(void) { return time_base(); }
/* core.window_due or a timer of the current VM changed: set the hardware's alarm. */
void hal_alarm_update(void);
/* Make `next` current: saves what only the hardware holds of the VM before. NULL: idle. */
void hal_switch(struct vm *next);
/* Clear registers, TLB and devices of a former life, as all memory is for the first one; in pieces 0 to
 * CONTEXT_PIECES - 1. */
void vm_context_clear(struct vm *vm, u32 piece);
#define CONTEXT_PIECES 4u
/* The state after a reset, made of zeros; entry and r3..r7 are those of vm->conf. */
void vm_context_reset(struct vm *vm);
/* Instructions were written there (a VM is loaded or patched): make this core fetch them. */
void code_written(void *p, u32 size);
#define TICK 333333u /* 1 ms at 333 MHz: how long a request of another core waits at most, if nothing rings */
/* How often a core has to look by itself: TICK, or more where doorbells ring. */
u32 hal_look_ticks(void);
/* Ask a core to call partition_alarm() now. It may come to nothing; its tick comes anyway. */
void hal_doorbell(u32 id);
/* "amalgam: core N: what a b" on the console, hexadecimal. */
void hal_report(const char *what, u32 a, u32 b);
/* The same for an event of a VM, later: the last one of each VM, one line at a time. */
void hal_report_event(u32 id, const char *what, u32 a, u32 b);
/* This core is done for good. */
__noreturn void hal_core_stop(void);
/* The whole board's run is over. */
__noreturn void hal_board_reset(void);

/* ---- the guest: kernel/vm/<machine>/ ---- */

/* Expire the timers that are due; what they ask for becomes pending. A watchdog's reset becomes an order. */
void guest_timers_run(struct vm *vm, u32 now);
/*
 * Ticks until guest_timers_run() has something to do; TIMERS_FAR: none known, look again then. So far that it can be
 * compared with the end of a window that is over already (LATE_LIMIT), and with one that is as long as can be.
 */
u32 guest_timers_left(const struct vm *vm, u32 now);
#define TIMERS_FAR 0x3fffffffu
/* Input may have come, from any core: let its serial port ask. */
void guest_input(struct vm *vm);
/* Somebody may have rung a tunnel of it, or withdrawn one. */
void guest_tunnel_requests(struct vm *vm);
/* It begins a life: show it the tunnels that it has from its start. */
void guest_tunnels_open(struct vm *vm);

#endif
