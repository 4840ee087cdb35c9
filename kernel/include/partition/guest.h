/* SPDX-License-Identifier: MIT */
/*
 * partition/guest.h - the contract below kernel/partition/: services of the machine, and actions of the model of a
 * guest at the scheduler's request. kernel/partition/ uses nothing else of either.
 *
 * All functions are called on the core that owns the VM, with interrupts off, and take a bounded time (docs/wcet.md).
 */
#ifndef AMALGAM_PARTITION_GUEST_H
#define AMALGAM_PARTITION_GUEST_H

#include <types.h>
#include <arch/cpu.h>
#include <arch/vm.h>

/* ---- the machine: kernel/arch/<isa>/, kernel/board/<board>/ ---- */

/* Returns the low 32 bits of the free-running counter; compare values by difference. All cores have the same
 * (partition/start.c sets them). */
static inline __attribute__((always_inline)) u32 hal_now(void) { return time_base(); }
/* Set the hardware's alarm: core.window_due or a timer of the current VM has changed. */
void hal_alarm_update(void);
/* Save what only the hardware holds of the current VM, if there is one. After that another core may run it. */
void hal_save(void);
/* Make `next` current. NULL: idle. The VM before was saved, and may not be touched. */
void hal_switch(struct vm *next);
/* Clear one piece (0 to CONTEXT_PIECES - 1) of the registers, TLB and devices of a former run. For the first run all
 * memory is zero. */
void vm_context_clear(struct vm *vm, u32 piece);
#define CONTEXT_PIECES 4u
/* Set the state after a reset, from zeros; entry and r3..r7 are those of vm->conf. */
void vm_context_reset(struct vm *vm);
/* Make this core fetch the instructions that were written at `p` (a VM was loaded or patched). */
void code_written(void *p, u32 size);
#define TICK                                                                                                           \
    333333u /* 1 ms at 333 MHz: the longest time until a core handles another core's request without a doorbell */
/* Returns the interval in ticks at which a core must look for requests: TICK, or more where doorbells ring. */
u32 hal_look_ticks(void);
/* Ring a core so that it calls partition_alarm() now. The ring may be lost; the core's next tick comes anyway. */
void hal_doorbell(u32 id);
/* Print "amalgam: core N: WHAT A B" on the console, in hexadecimal. */
void hal_report(const char *what, u32 a, u32 b);
/* The same for an event of a VM, printed later: the last event of each VM, one line at a time. */
void hal_report_event(u32 id, const char *what, u32 a, u32 b);
/* Stop this core for good. */
__noreturn void hal_core_stop(void);
/* End the run of the whole board. */
__noreturn void hal_board_reset(void);

/* ---- the guest: kernel/vm/<machine>/ ---- */

/* These inputs of the core's interrupt controller, which are not the kernel's, are raised: show them to the VM of this
 * core that has the device (vm/ppc405/lent.c), or mask them. */
void guest_irq(u32 raised);
/* A hypercall that stands for no instruction: its function, and the largest values of its first arguments, which
 * assembly checks before (generated/api_calls.h). */
struct api_service {
    s32 (*run)(struct vm *caller, u32 a, u32 b, u32 c);
    u8 max[4];
};
extern const struct api_service guest_services[];
/* Run the VM's timers that are due; their interrupts become pending. A watchdog's reset becomes an order. */
void guest_timers_run(struct vm *vm, u32 now);
/*
 * Returns the ticks until guest_timers_run() has something to do, at most TIMERS_FAR. TIMERS_FAR means: no timer is
 * armed; ask again after that time. It is small enough to be compared with the end of a window that is over
 * (LATE_LIMIT) or of the longest one.
 */
u32 guest_timers_left(const struct vm *vm, u32 now);
#define TIMERS_FAR 0x3fffffffu
/* Input for the VM may have come, from any core: let its serial port request an interrupt. */
void guest_input(struct vm *vm);
/* Handle rings of the VM's tunnels, and tunnels that were withdrawn. */
void guest_tunnel_requests(struct vm *vm);
/* A run of the VM begins: open the tunnels that it has from its start. */
void guest_tunnels_open(struct vm *vm);

#endif
