/* SPDX-License-Identifier: MIT */
/* lent_none.c - for a kernel without CONFIG_DRIVER: no device is lent. */
#include <board/irq.h>

void lent_irq(u32 raised) {}
