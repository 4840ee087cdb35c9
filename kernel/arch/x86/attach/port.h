/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_PORT_H
#define AMALGAM_ATTACH_PORT_H

#include "linux_cpu.h"

/* Do an IN or OUT of Linux that exited (VMEXIT_IOIO, APM vol. 2, 15.10.2), or refuse, count and log it. Returns
 * false: the caller raises #GP. Does not return if it resets the machine or powers it off. */
bool attach_port(struct linux_cpu *l);
/* Returns whether the page has registers by which the machine sleeps or resets. */
bool attach_is_power_page(paddr_t at);
/* Do or refuse a write of Linux's kernel to such a page, which its nested tables map read-only. `flags` is EXITINFO1
 * of the fault (15.25.6). Returns false: the caller raises #GP. Does not return if it resets the machine or powers it
 * off. */
bool attach_power_store(struct linux_cpu *l, u64 flags, paddr_t at);

#endif
