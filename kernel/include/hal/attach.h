/* SPDX-License-Identifier: MIT */
/*
 * hal/attach.h - the one way from kernel/attach/ to the architecture: CPUs of the Linux above us, its nested tables,
 * and the cores that its CPUs become. attach/upcalls.h is the other direction.
 *
 * Called on one of Linux's CPUs, GIF clear; what changes more than the calling CPU, under the lock of Linux's calls.
 */
#ifndef AMALGAM_HAL_ATTACH_H
#define AMALGAM_HAL_ATTACH_H

#include <types.h>

/* --- CPUs of Linux's -------------------------------------------------------------------------------------------- */

/* One of them; the architecture's. */
struct linux_cpu;

/* The CPU with that number in the machine (ATTACH_CALL_CPU_TAKE); NULL: Linux has none such. */
struct linux_cpu *linux_cpu_find(u32 id);
/* What becomes of it at the moment: enum attach_cpu_state. */
u32 linux_cpu_state(const struct linux_cpu *l);
/* The calling CPU is about to leave us: whoever would give something from now on sees a bare CPU. */
void linux_cpu_leaves(struct linux_cpu *l);
/* The calling CPU writes back its caches and, before Linux goes on, forgets what its nested tables said. */
void linux_cpu_flush(struct linux_cpu *l);
/* Returns whether one of Linux's CPUs is not beneath us. */
bool linux_any_bare(void);
/* Returns whether all CPUs that run Linux have flushed since that version of its nested tables. */
bool linux_all_flushed(u64 version);
/* Exits of all of them since load. */
u64 linux_exits(void);
/* What Linux tried and must not: writes to what is hidden, interrupts to what is given. */
extern struct attach_refused {
    u64 count, at, rip;
} attach_refused;
/* Interrupts that came to a core and were nobody's. */
extern u64 unexpected_interrupts;

/* --- its memory ------------------------------------------------------------------------------------------------- */

/* Every change of Linux's nested tables has a number: a CPU that has flushed since is rid of what was before. */
extern u64 linux_space_version;
/* Hide a range from Linux, 2 MiB aligned: it then reads ones there and cannot write. -ENOMEM, -EINVAL (linux_guard()
 * needs some of it): nothing changed. */
int linux_hide(paddr_t base, u64 size);
/* Undo it. */
void linux_show(paddr_t base, u64 size);
/* While `on`, what Linux writes to reach other CPUs or to end the machine exits, once each CPU has flushed. */
void linux_guard(bool on);
/* Physical addresses there are. */
u64 physical_limit(void);
/* Returns whether the range, 2 MiB aligned, has registers that Linux cannot be without. */
bool linux_needs(paddr_t base, u64 size);
/* Map 2 MiB of memory where the kernel has all memory, for data. -EEXIST: it is mapped; -ENOMEM. */
int hal_map_given(paddr_t base);
/* Write back and drop what caches hold, so that a reset or a bare CPU that drops them changes nothing. */
void hal_write_back(void);

/* --- cores ------------------------------------------------------------------------------------------------------ */

/* The calling CPU goes down to be the kernel's; it may idle by reading one of these ports (0: none). */
int core_prepare(struct linux_cpu *l, u16 port, u16 other);
/* It does not go down after all. */
void core_cancel(struct linux_cpu *l);
/* Let the core on that CPU come back as soon as it can. -ENODEV: there is none, -EBUSY. */
int core_ask_back(struct linux_cpu *l);
/* Interrupt core 0, if it is there: Linux rang for a split driver, or else for the console. */
void core_ring(bool split);
/* CPUs that are cores, on the way, or not yet started by Linux again. */
unsigned cores_given(void);
/*
 * Stop all cores for good by an NMI and wait until each has stopped: none writes memory any more. A core that does not
 * answer within a second is not waited for.
 */
void cores_stop(void);

#endif
