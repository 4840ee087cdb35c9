/* SPDX-License-Identifier: MIT */
/*
 * hal/upcalls.h - what entry code in arch/ and board/ tells core/.  All run with
 * interrupts disabled on the core they concern.
 */
#ifndef AMALGAM_HAL_UPCALLS_H
#define AMALGAM_HAL_UPCALLS_H

#include <types.h>

struct trap_frame;

/*
 * docs/architecture.md ("Who names whom") lists the services of core/ that the HAL may use besides: memory
 * (core/frames.h), printk and panic (core/log.h), cores that come and go (core/cores.h).  They are ready after
 * core_memory_init().
 */

/* cpu 0, once boot_info is complete and the linear window covers low memory: give RAM to the frame
 * allocator, keep out the kernel image [image, image_end) and the system image. */
void core_memory_init(paddr_t image, paddr_t image_end);
/* Every core after its HAL is up: cpu 0 first, the others when it lets them. Once, unless cores come and go: then each
 * time with the number that core_join() gave (core/cores.h, whose first half is an upcall, too). */
__noreturn void core_start(unsigned cpu);
/* The one-shot alarm of this core went off. */
void core_irq_timer(void);
/* Another core asked us to look (hal_ipi_resched). */
void core_irq_ipi(void);
/* A byte arrived on console port `port` (0: human, 1: tagged channel). Core 0 only: nothing locks a port's input. */
void core_irq_console(unsigned port);
/* Last thing before an interrupt handler returns: switch threads if that is due. */
void core_irq_exit(void);
/*
 * A synchronous exception that the architecture could not resolve, in kernel code.
 * Stops the domain that it happened for and does not return if that domain can be
 * left behind; panics otherwise.
 */
__noreturn void core_trap(const char *what, const struct trap_frame *f);
/* Whether the interrupted code ran with interrupts on (then it held no spin lock). */
bool arch_frame_irqs_on(const struct trap_frame *f);
/* arch/ prints its registers for core's reports. */
void arch_dump_frame(const struct trap_frame *f);
void arch_backtrace(const struct trap_frame *f);

#endif
