/* SPDX-License-Identifier: MIT */
/*
 * hal/upcalls.h - events that entry code in arch/ and board/ reports to core/, and to components that the shape has.
 * All functions run on the core concerned, with interrupts off where nothing else is said.
 */
#ifndef AMALGAM_HAL_UPCALLS_H
#define AMALGAM_HAL_UPCALLS_H

#include <types.h>

struct trap_frame;

/*
 * docs/architecture.md ("Who names whom") lists the other services of core/ that the HAL may use: memory
 * (core/frames.h), printk and panic (core/log.h), cores that come and go (core/cores.h). They are ready after
 * core_memory_init().
 */

/* On cpu 0, when boot_info is complete and the linear window maps low memory: give RAM to the frame allocator,
 * without the kernel image [image, image_end) and the system image. */
void core_memory_init(paddr_t image, paddr_t image_end);
/* Start core `cpu` after its HAL is up: cpu 0 first, the others when it lets them. Called once, unless cores come and
 * go: then each time with the number of core_join() (the first half of core/cores.h is an upcall, too). */
__noreturn void core_start(unsigned cpu);
/* The one-shot alarm of this core fired. */
void core_irq_timer(void);
/* Another core asked this one to look at its run queue (hal_ipi_resched). */
void core_irq_ipi(void);
/* A byte arrived on console port `port` (0: human, 1: tagged channel). Core 0 only, because no lock guards a port's
 * input. */
void core_irq_console(unsigned port);
/* The last call of an interrupt handler: switch threads if that is due. */
void core_irq_exit(void);
/*
 * Handle an exception in kernel code that the architecture could not. If the domain that it happened for can be stopped
 * alone, this stops the domain and ends the thread; otherwise it panics.
 */
__noreturn void core_trap(const char *what, const struct trap_frame *f);
/* Returns whether the interrupted code ran with interrupts on, so that it held no spin lock. */
bool arch_frame_irqs_on(const struct trap_frame *f);
/* Print the registers / the callers, for core's reports. */
void arch_dump_frame(const struct trap_frame *f);
void arch_backtrace(const struct trap_frame *f);

/* Components. In a kernel without one, a file of the caller's answers (NAME_none.c). */

/* Line `n` of a device, below HAL_LINES (hal/device.h), had an interrupt, and is masked now. */
void device_interrupt(unsigned n);
/* Another cluster may have rung (hal/noc.h). On the master's core. */
void noc_rang(void);
/* Another kernel of the SCC has interrupted this one: it may have sent a mail. */
void mail_rang(void);
/* The same: it may have sent a frame. */
void net_rang(void);
/*
 * Handle a page fault at `at`. Returns true if it was served and the access can be repeated; false if the address is
 * not shared virtual memory, or the fault cannot be served, which was logged. Thread context, interrupts on.
 */
bool svm_fault(uintptr_t at, bool write);

#endif
