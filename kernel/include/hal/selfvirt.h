/* SPDX-License-Identifier: MIT */
/*
 * hal/selfvirt.h - the layer below the kernel: what an architecture implements for a kernel that virtualizes itself
 * (CONFIG_SELFVIRT). It also implements the two virtualization objects (attach/object.h).
 */
#ifndef AMALGAM_HAL_SELFVIRT_H
#define AMALGAM_HAL_SELFVIRT_H

#include <types.h>

/* Allocate all that the layer needs on any core ahead, so that a switch allocates nothing. Returns 0; -ENODEV or
 * -EOPNOTSUPP, with the reason logged; -ENOMEM. Boot, cpu 0. */
int hal_layer_prepare(void);
/* Returns 0 if this core could have the layer below it now, else an error; -EBUSY: guests use its hardware. Interrupt
 * context. */
int hal_layer_check(void);

struct layer_stats {
    u64 exits, hypercalls, interrupts; /* interrupts: taken by the layer for the kernel */
    u64 emulated;                      /* rare sensitive operations that were emulated */
    u64 strays;                        /* instructions for native code in virtual mode, answered with a fault */
};
void hal_layer_stats(unsigned cpu, struct layer_stats *s);

#endif
