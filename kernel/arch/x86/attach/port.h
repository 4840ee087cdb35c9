/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_PORT_H
#define AMALGAM_ATTACH_PORT_H

#include "linux_cpu.h"

/* IN or OUT of Linux's that exited (VMEXIT_IOIO, APM vol. 2, 15.10.2): done, or refused, counted and logged. False:
 * #GP. Does not return if the machine is reset or switched off by it. */
bool attach_port(struct linux_cpu *l);
/* The page with that address has registers by which the machine sleeps or starts again. */
bool attach_is_power_page(paddr_t at);
/* A write of Linux's kernel to such a page that its nested tables do not let pass: done, or refused. `flags` is the
 * fault's (15.25.6). False: #GP. Does not return if the machine is reset or switched off by it. */
bool attach_power_store(struct linux_cpu *l, u64 flags, paddr_t at);

#endif
