/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - the inter-partition communication manager (paper 2.4): memory that two VMs share if the system file says
 * so, and a bell at each end. What they put there is their business (guests' APEX ports).
 *
 * A VM sees a tunnel once it has created it, until it ends or a monitor withdraws the tunnel. A
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

static struct vm_area *area_of(struct vm *vm, u32 index)
{
    for (struct vm_area *a = vm->areas + 1; a < vm->areas + VM_AREAS; a++) {
        LOOP_BOUND(VM_AREAS - 1);
        if (a->size && a->gpa == TUNNEL_GPA(index))
            return a;
    }
    return NULL;
}

s32 api_create_comm_tunnel(struct vm *caller, u32 index, u32 unused0, u32 unused1)
{
    const struct pt_tunnel *t = &pt_tunnels()[index];
    int end = end_of(caller, index);

    if (end < 0)
        return -ENOENT;
    if (READ_ONCE(withdrawn) >> index & 1)
        return -EACCES;
    if (!area_of(caller, index) &&
        !mmu_add_area(caller, TUNNEL_GPA(index), t->size, t->base, (end ? t->b_writes : t->a_writes) ? TLBLO_WR : 0))
        return -ENOSPC;
    return (s32)TUNNEL_GPA(index);
}

s32 api_tunnel_notify(struct vm *caller, u32 index, u32 unused0, u32 unused1)
{
    int end = end_of(caller, index);
    if (end < 0)
        return -ENOENT;
    if (!area_of(caller, index))
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

void tunnel_requests(struct vm *vm)
{
    for (u32 i = 0; i < pt()->n_tunnels; i++) {
        struct vm_area *area = area_of(vm, i);
        int end = end_of(vm, i);
        LOOP_BOUND(PT_TUNNELS);
        if (end < 0 || !area)
            continue;
        if (READ_ONCE(withdrawn) >> i & 1) {
            area->size = 0;
            mmu_switch(vm); /* forget what the hardware has of it */
        } else if (READ_ONCE(rings[i][end])) {
            WRITE_ONCE(rings[i][end], 0);
            mp_fence();
            vuic_line(vm, TUNNEL_INPUT(i), true);
            vm->uic.lines &=
                ~(0x80000000u >> TUNNEL_INPUT(i)); /* a pulse, whatever the trigger: the guest acknowledges it */
        }
    }
}
