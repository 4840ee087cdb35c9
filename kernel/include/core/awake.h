/* SPDX-License-Identifier: MIT */
/*
 * core/awake.h - a limit of the cores that are awake at the same time (dark silicon), but for core 0 and the one that
 * is exempt, which serve the programs.
 *
 * A core sleeps when it has nothing to run. If a thread becomes ready on one that sleeps while as many as permitted are
 * awake, the core waits for its turn, asleep: the next core that has nothing to run hands its place over, first come
 * first served. So no core is woken in vain, and a core that computes keeps its place until its threads wait or end.
 * boot_info has the limit and says which core is exempt; an option says which kernels have all this.
 */
#ifndef AMALGAM_CORE_AWAKE_H
#define AMALGAM_CORE_AWAKE_H

#include <types.h>

struct cpu;

/* How many cores may be awake (0: all), are, and were at the same time at most. Without a limit the last two are 0. */
struct awake {
    u16 limit, now, most;
};
struct awake core_awake(void);

/* The idle thread of core `c`, the caller's, has nothing to run: it may hand over its place. Interrupts off. */
void core_sleeps(struct cpu *c);
/* A thread has become ready on core `c`, outside of the active group. Returns whether the core may run it now: its
 * active group has changed. The core's run-queue lock is held. */
bool core_wakes(struct cpu *c);

#endif
