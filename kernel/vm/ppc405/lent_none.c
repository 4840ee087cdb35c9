/* SPDX-License-Identifier: MIT */
/* lent_none.c - for a kernel without CONFIG_DRIVER: no device is lent. */
#include <partition/guest.h>

void guest_irq(u32 raised) {}
