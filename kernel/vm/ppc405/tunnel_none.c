/* SPDX-License-Identifier: MIT */
/* tunnel_none.c - for a kernel without CONFIG_IPCM: there are no tunnels. */
#include <partition/guest.h>

void guest_tunnel_requests(struct vm *vm) {}
