/* SPDX-License-Identifier: MIT */
/* doorbell_none.c - without CONFIG_DOORBELL: a core looks at its ticks. */
#include <board/irq.h>
#include <partition/guest.h>

u32 doorbell_input(void) { return 0; }
void doorbell_init(void) {}
u32 hal_look_ticks(void) { return TICK; }
void hal_doorbell(u32 id) {}
void doorbell_poll(void) {}
void doorbell_answer(void) {}
