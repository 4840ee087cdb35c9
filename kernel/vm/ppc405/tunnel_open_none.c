/* SPDX-License-Identifier: MIT */
/* tunnel_open_none.c - for a kernel without CONFIG_IPCM_OPEN: no tunnel is there from the start. */
#include <partition/guest.h>

void guest_tunnels_open(struct vm *vm) {}
