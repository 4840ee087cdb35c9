/* SPDX-License-Identifier: MIT */
/* withdraw_none.c - instead of withdraw.c where there is no CONFIG_HEALTH, or no tunnel. */
#include "dev.h"

bool tunnel_withdrawn(u32 index) { return false; }
void tunnel_forget(struct vm *vm, u32 index) {}
