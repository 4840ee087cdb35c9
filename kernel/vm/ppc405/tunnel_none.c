/* SPDX-License-Identifier: MIT */
/* tunnel_none.c - instead of tunnel.c where there is no CONFIG_IPCM. */
#include <core/sched_vm.h>
#include <errors.h>
#include <generated/api_calls.h>

s32 api_create_comm_tunnel(struct vm *caller, u32 index, u32 unused0, u32 unused1) { return -ENOSYS; }
s32 api_tunnel_notify(struct vm *caller, u32 index, u32 unused0, u32 unused1) { return -ENOSYS; }
void tunnel_requests(struct vm *vm) {}
