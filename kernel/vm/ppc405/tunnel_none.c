/* SPDX-License-Identifier: MIT */
/* tunnel_none.c - instead of tunnel.c where there is no CONFIG_IPCM. */
#include "dev.h"
#include <partition/partition.h>

bool tunnel_bell(struct vm *vm, u32 gpa) { return false; }
void guest_tunnel_requests(struct vm *vm) {}
