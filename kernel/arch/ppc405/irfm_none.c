/* SPDX-License-Identifier: MIT */
/* irfm_none.c - without CONFIG_IRFM: no guest sees its registers. */
#include "mmu.h"

u32 register_page(struct vm *vm, u32 ea) { return 0; }
