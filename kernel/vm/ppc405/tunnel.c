/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - the inter-partition communication manager (paper 2.4): memory that two VMs share if the system file says
 * so, and a bell at each end. The kernel does not read the memory (guests' APEX ports do).
 *
 * A VM sees a tunnel after it has created it, or from its start if the system file says so (tunnel_open.c), until it
 * ends or a monitor withdraws the tunnel. A ring is a byte. The ringing core sets it, and the other end's core clears
 * it before it raises the interrupt. So a ring that comes in between is either still set or came before the interrupt:
 * none is lost.
 */
#include "dev.h"
#include <partition/partition.h>
#include <partition/shared.h>
#include <partition/pt.h>
#include <arch/cpu.h>
#include <arch/mmu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <wcet.h>

/* Without CONFIG_HEALTH no monitor withdraws a tunnel. */
__optional bool tunnel_withdrawn(u32 index) { return false; }
__optional void tunnels_unmap(struct vm *vm, u32 which) {}

#define TUNNEL_INPUT(index) (1u << (index)) /* input 31 - index of the virtual interrupt controller */

static u8 rings[PT_TUNNELS][2] __shared; /* for the ends a and b */

/* Return the tunnel if `vm` is one of its ends, else NULL. */
static const struct pt_tunnel *tunnel_of(const struct vm *vm, u32 index)
{
    const struct pt_tunnel *t = &pt_tunnels()[index];
    return index < pt()->n_tunnels && (t->ends[0] == vm->id || t->ends[1] == vm->id) ? t : NULL;
}

static u32 end_of(const struct vm *vm, const struct pt_tunnel *t) { return t->ends[0] != vm->id; }

s32 api_create_comm_tunnel(struct vm *caller, u32 index, u32 unused0, u32 unused1)
{
    const struct pt_tunnel *t = tunnel_of(caller, index);

    if (!t)
        return -ENOENT;
    if (tunnel_withdrawn(index))
        return -EACCES;
    if (!(caller->part.tunnels >> index & 1) &&
        !mmu_add_area(caller, TUNNEL_GPA(index), t->size, t->base,
                      (t->may[end_of(caller, t)] & PT_TUNNEL_WRITES) * TLBLO_WR))
        return -ENOSPC;
    caller->part.tunnels |= 1u << index;
    return (s32)TUNNEL_GPA(index);
}

s32 api_tunnel_notify(struct vm *caller, u32 index, u32 unused0, u32 unused1)
{
    const struct pt_tunnel *t = tunnel_of(caller, index);
    if (!t)
        return -ENOENT;
    if (!(caller->part.tunnels >> index & 1))
        return -EACCES;
    u32 other = !end_of(caller, t);
    mp_fence(); /* writes to the tunnel come before the ring */
    WRITE_ONCE(rings[index][other], 1);
    partition_knock(vm_of(t->ends[other]));
    return 0;
}

/* A program of an unmodified Linux makes no hypercalls: it rings by a store to a page that its kernel gives it. */
bool tunnel_bell(struct vm *vm, u32 gpa)
{
    u32 index = (gpa - BELL_GPA(0)) >> 12;
    return index < PT_TUNNELS && !api_tunnel_notify(vm, index, 0, 0);
}

void guest_tunnel_requests(struct vm *vm)
{
    u32 gone = 0, rung = 0;

    for (u32 left = vm->part.tunnels, i; left; left &= ~TUNNEL_INPUT(i)) {
        LOOP_BOUND(VM_AREAS - 2); /* each tunnel has an area */
        i = 31 - (u32)__builtin_clz(left);
        volatile u8 *ring = &rings[i][end_of(vm, &pt_tunnels()[i])];
        if (tunnel_withdrawn(i)) {
            gone |= 1u << i;
        } else if (*ring) {
            *ring = 0;
            rung |= TUNNEL_INPUT(i);
        }
    }
    if (gone)
        tunnels_unmap(vm, gone);
    if (rung) {
        mp_fence();
        vuic_lines(vm, rung, true);
        vm->uic.lines &= ~rung; /* pulses for either trigger mode: the guest clears them */
    }
}
