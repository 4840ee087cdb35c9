/* SPDX-License-Identifier: MIT */
/* previrt_none.c - without CONFIG_PREVIRT no guest has stubs. */
#include <arch/previrt.h>

void previrt_reset(struct vm *vm) { vm->stubs = PREVIRT_NONE; }
u32 previrt_page(struct vm *vm, u32 ea) { return 0; }
void previrt_settle(struct vm *vm) { (void)vm; }

bool previrt_trap(struct vm *vm)
{
    (void)vm;
    return false;
}
