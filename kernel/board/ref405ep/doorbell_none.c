/* SPDX-License-Identifier: MIT */
/* doorbell_none.c - for a kernel without CONFIG_DOORBELL: cores do not ring each other, and look at their ticks. */
#include <board/irq.h>
#include <partition/guest.h>

u32 doorbell_input(void) { return 0; }
void doorbell_init(void) {}
void doorbell_poll(void) {}
void doorbell_answer(void) {}
u32 hal_look_ticks(void) { return TICK; }
void hal_doorbell(u32 id) {}
