/* SPDX-License-Identifier: MIT */
/* chip/guest.h - guests that have what a process's cores share (process/chip.h), and run in its place on theirs. */
#ifndef AMALGAM_CHIP_GUEST_H
#define AMALGAM_CHIP_GUEST_H

#include <core/domain.h>
#include <hal/memory.h>

#ifndef CHIP_GUESTS /* the build says 1 of a kernel that has such; else guest.c is not linked */
#define CHIP_GUESTS 0
#endif

/* Check what a guest's record says of it. Returns NULL, or a sentence that says what is wrong. Boot. */
const char *chip_guest_check(const struct sys_header *h, const struct sys_domain *d);
/* Map it at the guest-physical addresses that processes have it at. Returns 0, or an error of stage2_map(). Boot. */
int chip_guest_map(const struct sys_domain *d, struct stage2 *memory);
/* Before each life of a guest: clear what it shares with the process's other cores, but for the first life. Thread
 * context, interrupts on. */
void chip_guest_begin(const struct domain *d);
/* A guest's call of kernel/api/para.yaml about it. -ENOSYS: there is no such call, or the guest joins nobody. */
s32 chip_guest_call(const struct sys_domain *d, u32 number);

#endif
