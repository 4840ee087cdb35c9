/* SPDX-License-Identifier: MIT */
/*
 * attach/upcalls.h - functions of kernel/attach/ that the architecture calls: at an exit of Linux that is a call, or a
 * write that could end the machine. hal/attach.h is the other direction.
 */
#ifndef AMALGAM_ATTACH_UPCALLS_H
#define AMALGAM_ATTACH_UPCALLS_H

#include <types.h>

#include <api/attach.h> /* in terms of those types */

struct linux_cpu;

/* --- at load, once, in this order ------------------------------------------------------------------------------- */

/* memory.c: record which addresses are RAM. Returns 0 or -EINVAL. */
int attach_memory_init(const struct attach_boot *boot);
/* power.c: record the registers that ACPI names. Returns 0, or -EINVAL: a register has no valid address. */
int attach_power_init(const struct attach_power *power);
/* scrub.c: record which memory of the kernel is free now; later a domain's data will be there. Returns 0 or -ENOSPC. */
int attach_scrub_init(void);

/* --- on one of Linux's CPUs, GIF clear -------------------------------------------------------------------------- */

/* call.c: make a call for Linux's kernel, with its number and arguments as they came. *leave: the CPU is to leave.
 * Returns Linux's result: 0 or more, or a negative error number (api/attach.h). */
s64 attach_call(struct linux_cpu *l, u64 number, u64 a, u64 b, bool *leave);

/* guard.c: returns whether Linux is guarded: its interrupt commands are checked, so that things may be given. */
bool attach_guarded(void);

/* power.c: the effect of a write by Linux on the machine, in the order of precedence. */
enum attach_power_write { POWER_NOTHING, POWER_RESET, POWER_OFF, POWER_REFUSED };
/* Returns the effect of a write of `size` bytes (1, 2, 4, 8) at `at`; `space` is ATTACH_IN_MEMORY or ATTACH_IN_PORTS.
 */
enum attach_power_write attach_power_write(unsigned space, u64 at, unsigned size, u64 value);
/* Call trap(port) for each I/O port that attach_power_write() must see. */
void attach_power_ports(void (*trap)(u16 port));
/* Returns the physical address of the nth page with registers that it must see; 0: there are no more. */
paddr_t attach_power_page(unsigned n);
/* Power the machine off by out(port, value), to all ports that may be needed. */
void attach_power_off(void (*out)(u16 port, u8 value));

/*
 * scrub.c: call before the machine is reset or powered off. It stops the cores, overwrites all that they and their
 * domains had, and writes the caches back, which takes as long as writing all given memory. Linux must not run on this
 * CPU afterwards, because its nested tables may be gone. A second caller waits for ever.
 */
void attach_scrub(void);

#endif
