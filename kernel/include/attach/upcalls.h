/* SPDX-License-Identifier: MIT */
/*
 * attach/upcalls.h - what the architecture asks of kernel/attach/: an exit of Linux's that is a call or a write by
 * which the machine would end. hal/attach.h is the other direction.
 */
#ifndef AMALGAM_ATTACH_UPCALLS_H
#define AMALGAM_ATTACH_UPCALLS_H

#include <types.h>

#include <api/attach.h> /* in terms of those types */

struct linux_cpu;

/* --- at load, once, in this order ------------------------------------------------------------------------------- */

/* memory.c: what is RAM. -EINVAL. */
int attach_memory_init(const struct attach_boot *boot);
/* power.c: believe what ACPI says. -EINVAL: a register is at no address. */
int attach_power_init(const struct attach_power *power);
/* scrub.c: remember which memory of the kernel's own is free now: what comes there later is a domain's. -ENOSPC. */
int attach_scrub_init(void);

/* --- on one of Linux's CPUs, GIF clear -------------------------------------------------------------------------- */

/* call.c: a call of Linux's kernel, with its number and arguments as they came; *leave: the CPU shall leave. Returns
 * what Linux gets: 0 or more, or a negated error number (api/attach.h). */
s64 attach_call(struct linux_cpu *l, u64 number, u64 a, u64 b, bool *leave);

/* guard.c: interrupt commands of Linux are looked at; nothing can go around us, so things may be given. */
bool attach_guarded(void);

/* power.c: what a write of Linux's does to the machine. In the order of precedence. */
enum attach_power_write { POWER_NOTHING, POWER_RESET, POWER_OFF, POWER_REFUSED };
/* What the write of `size` bytes (1, 2, 4, 8) at `at` does; `space` is ATTACH_IN_MEMORY or ATTACH_IN_PORTS. */
enum attach_power_write attach_power_write(unsigned space, u64 at, unsigned size, u64 value);
/* Call trap(port) for each I/O port of which attach_power_write() wants to know. */
void attach_power_ports(void (*trap)(u16 port));
/* Physical address of the nth page with registers in memory of which it wants to know; 0: there are no more. */
paddr_t attach_power_page(unsigned n);
/* Switch the power off by out(port, value) to all ports that it may take. */
void attach_power_off(void (*out)(u16 port, u8 value));

/*
 * scrub.c: before the machine starts again or goes off: stop the cores, overwrite what they and their domains had,
 * write back the caches. Takes as long as it takes to write all given memory. Linux must not be run on this CPU
 * afterwards: its nested tables may be gone. Whoever comes second waits for ever.
 */
void attach_scrub(void);

#endif
