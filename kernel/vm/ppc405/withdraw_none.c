/* SPDX-License-Identifier: MIT */
/* withdraw_none.c - instead of withdraw.c where there is no CONFIG_HEALTH, or no tunnel. */
#include "dev.h"
#include <errors.h>
#include <generated/api_calls.h>

s32 api_tunnel_withdraw(struct vm *caller, u32 index, u32 take, u32 unused0) { return -ENOSYS; }
bool tunnel_withdrawn(u32 index) { return false; }
void tunnel_forget(struct vm *vm, u32 index) {}
