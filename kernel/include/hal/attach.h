/* SPDX-License-Identifier: MIT */
/*
 * hal/attach.h - functions of the architecture for kernel/attach/: CPUs of the Linux above, its nested tables, and the
 * cores that its CPUs become. attach/upcalls.h is the other direction.
 *
 * They are called on one of Linux's CPUs with GIF clear; those that change more than the calling CPU, under the lock of
 * Linux's calls.
 */
#ifndef AMALGAM_HAL_ATTACH_H
#define AMALGAM_HAL_ATTACH_H

#include <types.h>

/* --- Linux's CPUs ------------------------------------------------------------------------------------------------ */

/* A CPU of Linux; defined by the architecture. */
struct linux_cpu;

/* Return the CPU with that number in the machine (ATTACH_CALL_CPU_TAKE); NULL: Linux has none such. */
struct linux_cpu *linux_cpu_find(u32 id);
/* Returns its state, enum attach_cpu_state. */
u32 linux_cpu_state(const struct linux_cpu *l);
/* The calling CPU is about to detach: from now on it counts as bare, and nothing can be given. */
void linux_cpu_leaves(struct linux_cpu *l);
/* Write the calling CPU's caches back; before Linux continues it also flushes translations of its nested tables. */
void linux_cpu_flush(struct linux_cpu *l);
/* Returns whether one of Linux's CPUs is not beneath us. */
bool linux_any_bare(void);
/* Returns whether all CPUs that run Linux have flushed since that version of its nested tables. */
bool linux_all_flushed(u64 version);
/* Returns the number of their exits since load. */
u64 linux_exits(void);
/* Accesses that were refused to Linux: writes to hidden memory, interrupts to given CPUs. */
extern struct attach_refused {
    u64 count, at, rip;
} attach_refused;
/* The number of interrupts at cores that the kernel did not expect. */
extern u64 unexpected_interrupts;

/* --- its memory ------------------------------------------------------------------------------------------------- */

/* The version of Linux's nested tables, increased by each change: a CPU that has flushed since uses no older entry. */
extern u64 linux_space_version;
/* Hide a range from Linux, 2 MiB aligned: Linux then reads ones there and cannot write. Returns 0; -ENOMEM or -EINVAL
 * (linux_guard() needs some of it) with nothing changed. */
int linux_hide(paddr_t base, u64 size);
/* Undo linux_hide(). */
void linux_show(paddr_t base, u64 size);
/* While `on`, writes by which Linux reaches other CPUs or ends the machine exit, once each CPU has flushed. */
void linux_guard(bool on);
/* Returns the end of the physical address space. */
u64 physical_limit(void);
/* Returns whether the range, 2 MiB aligned, has registers that Linux must keep. */
bool linux_needs(paddr_t base, u64 size);
/* Map 2 MiB of memory in the kernel's linear window, for data. Returns 0, -EEXIST: it is mapped, -ENOMEM. */
int hal_map_given(paddr_t base);
/* Write the calling CPU's caches back and invalidate them, so that a reset loses nothing. Caches that it shares with
 * cores are emptied, too. */
void hal_write_back(void);
/* Write these lines back from the caches of all CPUs, so that a bare CPU that invalidates its caches loses nothing.
 * (WBINVD writes back those of one CPU, and Linux may change CPUs between two calls.) */
void hal_write_back_range(const void *from, u64 size);

/* --- cores ------------------------------------------------------------------------------------------------------ */

/* Prepare the calling CPU, which Linux is about to set offline, to become a core. It may idle by reading one of these
 * ports (0: none). Returns 0. */
int core_prepare(struct linux_cpu *l, u16 port, u16 other);
/* Undo core_prepare(): the CPU is not set offline after all. */
void core_cancel(struct linux_cpu *l);
/* Ask the core on that CPU to leave as soon as it can. Returns 0, -ENODEV: there is none, -EBUSY. */
int core_ask_back(struct linux_cpu *l);
/* Interrupt core 0, if it is present: Linux rang for a split driver, or else for the console. */
void core_ring(bool split);
/* Returns whether the kernel has panicked. Its cores have stopped wherever they were, also with locks held. */
bool cores_dead(void);
/* Returns the number of CPUs that are cores, become cores, or wait to be started by Linux again. */
unsigned cores_given(void);
/*
 * Stop all cores for good by an NMI, and wait until each has stopped, so that none writes memory any more. A core that
 * does not answer within a second is not waited for.
 */
void cores_stop(void);

#endif
