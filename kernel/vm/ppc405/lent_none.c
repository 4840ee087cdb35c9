/* SPDX-License-Identifier: MIT */
/* lent_none.c - without CONFIG_DRIVER: every device is the kernel's. */
#include "dev.h"
#include <board/irq.h>

void lent_reset(struct vm *vm) {}
void lent_irq(u32 raised) {}
void lent_irq_update(struct vm *vm) {}
u32 lent_dcr(struct vm *vm, u32 dcr, bool write, u32 value) { return 0; }
