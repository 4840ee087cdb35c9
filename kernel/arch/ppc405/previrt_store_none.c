/* SPDX-License-Identifier: MIT */
/* previrt_store_none.c - where previrt_call.S does it, or nobody (no CONFIG_PREVIRT). */
#include <arch/previrt.h>

bool previrt_store(struct vm *vm, u32 ea) { return false; }
