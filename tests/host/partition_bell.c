/* SPDX-License-Identifier: MIT */
/* partition_bell.c - a board with a doorbell for partition_test.h, whose cores look for requests at their ticks. */
#include <partition/guest.h>

u32 rung; /* which core's bell, plus 1 */

void hal_doorbell(u32 id) { rung = id + 1; }
u32 hal_look_ticks(void) { return TICK; }
