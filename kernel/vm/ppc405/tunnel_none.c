/* SPDX-License-Identifier: MIT */
/* tunnel_none.c - instead of tunnel.c where there is no CONFIG_IPCM. */
#include <core/sched_vm.h>

void tunnel_requests(struct vm *vm) {}
