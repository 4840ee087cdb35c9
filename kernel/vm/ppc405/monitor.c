/* SPDX-License-Identifier: MIT */
/* monitor.c - hypercalls of CONFIG_HEALTH (docs/hypercalls.md): information about the VM itself and, with the right,
 * about other VMs. */
#include "dev.h"
#include <partition/policy.h>
#include <partition/shared.h>
#include <partition/pt.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <string.h>

static bool is_monitor(const struct vm *vm) { return vm->flags & PT_HEALTH_MONITOR; }

static struct vm *vm_numbered(u32 id) { return id < pt()->n_vms ? vm_of(id) : NULL; }

s32 api_vm_info(struct vm *caller, u32 vm, u32 field, u32 unused0)
{
    const struct vm *about = vm == PT_ANY ? caller : vm_numbered(vm);
    if (!about)
        return -ENOENT;
    if (about != caller && !is_monitor(caller))
        return -EPERM;
    const u32 answer[] = { about->id,   about->state,         about->core, about->runs,
                           about->used, about->part.n_events, pt()->n_vms, API_VERSION };
    return (s32)(answer[field] & 0x7fffffff);
}

s32 api_window_info(struct vm *caller, u32 field, u32 unused0, u32 unused1)
{
    const struct core_times *r = &core_times[core.id];
    u32 now = hal_now(), left = time_after_eq(now, current_slot.end) ? 0 : current_slot.end - now;
    const u32 answer[] = { core.id, slot_plan, slot_length, left, current_slot.owner == caller, r->late, r->late_max };
    return (s32)(answer[field] & 0x7fffffff);
}

s32 api_event_read(struct vm *caller, u32 vm, u32 index, u32 event)
{
    const struct vm *about = vm_numbered(vm);
    void *to = guest_pa(caller, event, sizeof(struct partition_event));
    if (!is_monitor(caller))
        return -EPERM;
    if (!to)
        return -EFAULT;
    /* The age is a difference in 31 bits, as the counts that monitors get are. */
    if (!about || index >> 31 ||
        ((about->part.n_events - index - 1) & 0x7fffffff) >= MIN(about->part.n_events, (u32)VM_EVENTS))
        return -ENOENT;
    memcpy(to, &about->part.events[index % VM_EVENTS], sizeof(struct partition_event));
    return (s32)(about->part.n_events & 0x7fffffff);
}

s32 api_plan_set(struct vm *caller, u32 plan, u32 unused0, u32 unused1)
{
    if (!is_monitor(caller))
        return -EPERM;
    if (plan >= pt()->n_plans)
        return -ENOENT;
    shared.plan = plan;
    return 0;
}

s32 api_vm_control(struct vm *caller, u32 vm, u32 action, u32 unused0)
{
    struct vm *about = vm_numbered(vm);
    if (!is_monitor(caller))
        return -EPERM;
    if (!about)
        return -ENOENT;
    /* Two monitors at once may draw one number: then both gave the same order. */
    about->part.order =
        ((about->part.order + ORDER_COUNT) & ~(ORDER_COUNT - 1)) | (action == API_VM_CONTROL_START ? ORDER_START : 0);
    partition_knock(about);
    return 0;
}
