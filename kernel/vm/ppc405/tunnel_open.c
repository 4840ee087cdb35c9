/* SPDX-License-Identifier: MIT */
/* tunnel_open.c - opens tunnels at a VM's start, for a VM that makes no hypercalls (an unmodified Linux). */
#include <partition/partition.h>
#include <partition/pt.h>
#include <generated/api_calls.h>
#include <wcet.h>

/* There is room for the areas: the host's compiler has counted them. */
void guest_tunnels_open(struct vm *vm)
{
    for (u32 i = 0; i < pt()->n_tunnels; i++) {
        const struct pt_tunnel *t = &pt_tunnels()[i];
        u32 end = t->ends[0] != vm->id;
        LOOP_BOUND(PT_TUNNELS);
        if (t->ends[end] == vm->id && (t->may[end] & PT_TUNNEL_OPEN))
            api_create_comm_tunnel(vm, i, 0, 0);
    }
}
