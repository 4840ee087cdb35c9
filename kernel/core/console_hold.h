/* SPDX-License-Identifier: MIT */
/* console_hold.h - ports whose bytes wait, since nobody has room for the next one; see console_hold.c. */
#ifndef AMALGAM_CORE_CONSOLE_HOLD_H
#define AMALGAM_CORE_CONSOLE_HOLD_H

#include <types.h>

#ifndef CONSOLE_HOLD
#define CONSOLE_HOLD 0 /* the build says it (files.mk) */
#endif

/* Returns whether the port's next byte, which is for `source`, has to wait; then `look` is called by a timer. Core 0,
 * with its interrupts off. With CONSOLE_HOLD only. */
bool hold_looks(unsigned port, unsigned source, void (*look)(void *port));
/* Returns what hold_looks() has returned last. With CONSOLE_HOLD only. */
bool hold_is_on(unsigned port);

#endif
