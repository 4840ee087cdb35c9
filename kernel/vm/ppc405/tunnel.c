/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - the inter-partition communication manager (paper 2.4): memory that two VMs share if the system file says
 * so, and a bell at each end. What they put there is their business (guests' APEX ports).
 *
 * A VM sees a tunnel once it has created it, or from its start if the system file says so (an unmodified Linux makes no
 * hypercalls), until it ends or a monitor withdraws the tunnel. A
 * ring is a byte that the ringing end's core sets and the other end's core clears before it raises the interrupt, so
 * a ring that comes in between is either still there or was before the interrupt; none is lost.
 */
#include <core/sched_vm.h>
#include <core/shared.h>
#include <core/table.h>
#include <arch/cpu.h>
#include <arch/devices.h>
#include <arch/mmu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <wcet.h>

#define TUNNEL_GPA(index)   (0xe0000000u + ((index) << 20))
#define TUNNEL_INPUT(index) (31 - (index)) /* of the virtual interrupt controller */

static u8 rings[PT_TUNNELS][2] __shared; /* for end a, b */
static u32 withdrawn __shared;           /* bit a tunnel; written by monitors */

/* Which end of the tunnel `vm` is: 0, 1; -1: none. */
static int end_of(const struct vm *vm, u32 index)
{
    const struct pt_tunnel *t = &pt_tunnels()[index];
    if (index >= pt()->n_tunnels)
        return -1;
    return t->a == vm->id ? 0 : t->b == vm->id ? 1 : -1;
}

static u32 rights(const struct pt_tunnel *t, int end) { return end ? t->b_may : t->a_may; }

s32 api_create_comm_tunnel(struct vm *caller, u32 index, u32 unused0, u32 unused1)
{
    const struct pt_tunnel *t = &pt_tunnels()[index];
    int end = end_of(caller, index);

    if (end < 0)
        return -ENOENT;
    if (READ_ONCE(withdrawn) >> index & 1)
        return -EACCES;
    if (!(caller->part.tunnels >> index & 1) &&
        !mmu_add_area(caller, TUNNEL_GPA(index), t->size, t->base, rights(t, end) & PT_TUNNEL_WRITES ? TLBLO_WR : 0))
        return -ENOSPC;
    caller->part.tunnels |= 1u << index;
    return (s32)TUNNEL_GPA(index);
}

/* The host compiler has counted the areas: there is room. */
void tunnels_open(struct vm *vm)
{
    for (u32 i = 0; i < pt()->n_tunnels; i++) {
        int end = end_of(vm, i);
        LOOP_BOUND(PT_TUNNELS);
        if (end >= 0 && (rights(&pt_tunnels()[i], end) & PT_TUNNEL_OPEN))
            api_create_comm_tunnel(vm, i, 0, 0);
    }
}

s32 api_tunnel_notify(struct vm *caller, u32 index, u32 unused0, u32 unused1)
{
    int end = end_of(caller, index);
    if (end < 0)
        return -ENOENT;
    if (!(caller->part.tunnels >> index & 1))
        return -EACCES;
    mp_fence(); /* what was written into the tunnel is there before the ring */
    WRITE_ONCE(rings[index][!end], 1);
    vm_knock(vm_of(end ? pt_tunnels()[index].a : pt_tunnels()[index].b));
    return 0;
}

s32 api_tunnel_withdraw(struct vm *caller, u32 index, u32 take, u32 unused0)
{
    const struct pt_tunnel *t = &pt_tunnels()[index];
    if (!(caller->flags & PT_HEALTH_MONITOR))
        return -EPERM;
    if (index >= pt()->n_tunnels)
        return -ENOENT;
    withdrawn = take ? withdrawn | 1u << index : withdrawn & ~(1u << index);
    vm_knock(vm_of(t->a));
    vm_knock(vm_of(t->b));
    return 0;
}

static void forget(struct vm *vm, u32 index)
{
    vm->part.tunnels &= ~(1u << index);
    for (struct vm_area *a = vm->areas + 1; a < vm->areas + VM_AREAS; a++) {
        LOOP_BOUND(VM_AREAS);
        if (a->gpa == TUNNEL_GPA(index))
            a->size = 0;
    }
    mmu_switch(vm); /* what the hardware has of it */
}

void tunnel_requests(struct vm *vm)
{
    for (u32 left = vm->part.tunnels, i; left; left &= ~(1u << i)) {
        LOOP_BOUND(PT_TUNNELS);
        i = 31 - (u32)__builtin_clz(left);
        volatile u8 *ring = &rings[i][end_of(vm, i)];
        if (READ_ONCE(withdrawn) >> i & 1) {
            forget(vm, i);
        } else if (*ring) {
            *ring = 0;
            mp_fence();
            vuic_line(vm, TUNNEL_INPUT(i), true);
            vm->uic.lines &= ~(0x80000000u >> TUNNEL_INPUT(i)); /* a pulse, whatever the trigger: the guest clears it */
        }
    }
}
