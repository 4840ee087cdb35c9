/* SPDX-License-Identifier: MIT */
/* withdraw.c - withdraws a tunnel from both ends at a monitor's request, or grants it again (CONFIG_HEALTH). */
#include "dev.h"
#include <partition/shared.h>
#include <partition/pt.h>
#include <arch/mmu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <wcet.h>

static u8 withdrawn[PT_TUNNELS] __shared; /* a byte each: monitors on several cores write different ones at once */

s32 api_tunnel_withdraw(struct vm *caller, u32 index, u32 take, u32 unused0)
{
    const struct pt_tunnel *t = &pt_tunnels()[index];
    if (!(caller->flags & PT_HEALTH_MONITOR))
        return -EPERM;
    if (index >= pt()->n_tunnels)
        return -ENOENT;
    WRITE_ONCE(withdrawn[index], take);
    partition_knock(vm_of(t->ends[0]));
    partition_knock(vm_of(t->ends[1]));
    return 0;
}

bool tunnel_withdrawn(u32 index) { return READ_ONCE(withdrawn[index]); }

void tunnels_unmap(struct vm *vm, u32 which)
{
    vm->part.tunnels &= ~which;
    for (struct vm_area *a = vm->areas + 1; a < vm->areas + VM_AREAS; a++) {
        u32 index = (a->gpa - TUNNEL_GPA(0)) >> 20;
        LOOP_BOUND(VM_AREAS);
        if (index < PT_TUNNELS && (which >> index & 1))
            a->size = 0;
    }
    mmu_switch(vm); /* drop the hardware's entries for them */
}
