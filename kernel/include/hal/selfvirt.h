/* SPDX-License-Identifier: MIT */
/*
 * hal/selfvirt.h - the layer beneath: what an architecture must have for a kernel that virtualizes itself
 * (CONFIG_SELFVIRT).  The two virtualization objects (attach/object.h) are its work, too.
 */
#ifndef AMALGAM_HAL_SELFVIRT_H
#define AMALGAM_HAL_SELFVIRT_H

#include <types.h>

/* Everything that the layer needs on any core, built ahead (pre-cached): a switch allocates nothing. Boot, cpu 0.
 * 0; -ENODEV, -EOPNOTSUPP with the reason logged; -ENOMEM. */
int hal_layer_prepare(void);
/* Whether this core could have the layer beneath it now; -EBUSY: its hardware is used by guests. Interrupt context. */
int hal_layer_check(void);

struct layer_stats {
    u64 exits, hypercalls, interrupts; /* interrupts: taken by the layer for the kernel */
    u64 emulated;                      /* rare sensitive operations, trapped */
    u64 strays;                        /* native code that ran in virtual mode: answered with a fault */
};
void hal_layer_stats(unsigned cpu, struct layer_stats *s);

#endif
