/* SPDX-License-Identifier: MIT */
/* tunnel_open.c - tunnels that a VM sees from its start, because it makes no hypercalls (an unmodified Linux). */
#include <partition/partition.h>
#include <partition/pt.h>
#include <generated/api_calls.h>
#include <wcet.h>

/* The host compiler has counted the areas: there is room. */
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
