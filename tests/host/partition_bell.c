/* SPDX-License-Identifier: MIT */
/* partition_bell.c - a board with a doorbell for partition_test.h, in a file of its own since sched.c, which that
 * includes, has the default for boards without one. */
#include <partition/guest.h>

u32 rung; /* which core's bell, plus 1 */

void hal_doorbell(u32 id) { rung = id + 1; }
