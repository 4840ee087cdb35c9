/* SPDX-License-Identifier: MIT */
/* attach/attach.h - what Linux has given to the kernel: memory (attach/memory.c) and CPUs (arch's attach/core.c). */
#ifndef AMALGAM_ATTACH_ATTACH_H
#define AMALGAM_ATTACH_ATTACH_H

#include <types.h>

struct attach_boot;

/* What is RAM. -EINVAL. */
int attach_memory_init(const struct attach_boot *boot);
/* The four calls on memory, each checked; 0 or an error (api/attach.h). The caller holds the lock of all calls. */
int attach_memory_give(paddr_t base, u64 size);
int attach_memory_commit(paddr_t base, u64 size);
int attach_memory_take(paddr_t base, u64 size);
int attach_memory_show(paddr_t base, u64 size);
/* Bytes that are hidden from Linux since load. */
u64 attach_memory_given(void);

/* Overwrite all memory that is given and that the kernel or a domain may have used. Nothing runs there any more. */
void attach_memory_scrub(void);

/* All of Linux's CPUs have forgotten what their nested tables said before that version. */
bool attach_all_flushed(u64 version);

/* guard.c: interrupt commands of Linux are looked at; nothing can go around us, so things may be given. */
bool attach_guarded(void);
bool attach_may_give(void);
/* Quick when nobody has begun that: all of Linux's CPUs ask it on their way out. */
bool attach_anything_given(void);
/* Begin or end that: 0, -ENODEV (a CPU is bare), -EBUSY (something is given). */
int attach_guard(u64 on);

/* CPUs that are cores, on the way, or not yet started by Linux again. */
unsigned cores_given(void);
/*
 * Stop all cores for good by an NMI and wait until each has stopped: none writes memory any more. A core that does not
 * answer within a second is not waited for. One of Linux's CPUs, GIF clear.
 */
void cores_stop(void);

/* call.c: no call of Linux's is under way, nor will there be one. */
void attach_calls_end(void);

/* power.c: what a write of Linux's does to the machine. In the order of precedence. */
enum attach_power_write { POWER_NOTHING, POWER_RESET, POWER_OFF, POWER_REFUSED };
struct attach_power;
/* Believe what ACPI says. At load, once. -EINVAL: a register is at no address. */
int attach_power_init(const struct attach_power *power);
/* What the write of `size` bytes (1, 2, 4, 8) at `at` does; `space` is ATTACH_IN_MEMORY or ATTACH_IN_PORTS. */
enum attach_power_write attach_power_write(unsigned space, u64 at, unsigned size, u64 value);
/* Call trap(port) for each I/O port of which attach_power_write() wants to know. */
void attach_power_ports(void (*trap)(u16 port));
/* Physical address of the nth page with registers in memory of which it wants to know; 0: there are no more. */
paddr_t attach_power_page(unsigned n);
/* Switch the power off by all ports that it may take. */
void attach_power_off(void);

/* scrub.c: remember which memory of the kernel's own is free now: what comes there later is a domain's. At load, last.
 * -ENOSPC. */
int attach_scrub_init(void);
/*
 * Before the machine starts again or goes off: stop the cores, overwrite what they and their domains had, write back
 * the caches. On one of Linux's CPUs, GIF clear; takes as long as it takes to write all given memory. Linux must not be
 * run on this CPU afterwards: its nested tables may be gone. Whoever comes second waits for ever.
 */
void attach_scrub(void);

#endif
