/* SPDX-License-Identifier: MIT */
/* tunnel_open_none.c - without CONFIG_IPCM_OPEN a VM has the tunnels that it creates. */
#include <partition/partition.h>

void guest_tunnels_open(struct vm *vm) {}
