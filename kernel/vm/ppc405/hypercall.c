/* SPDX-License-Identifier: MIT */
/*
 * hypercall.c - the services of kernel/api/calls.yaml (docs/hypercalls.md), for a VM that has the right and calls from
 * its privileged mode (arch/ppc405/syscall_hypercall.S has looked, and serves the calls that stand for an instruction).
 * That path checks the first two arguments against the generated table before a service sees them; what a limit
 * cannot say is checked by the service.
 *
 * A service that gives the core away must be the last to touch the caller: another core may run it already.
 */
#include <core/policy.h>
#include <core/shared.h>
#include <core/table.h>
#include <arch/devices.h>
#include <arch/mmu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <string.h>
#include <wcet.h>

static bool monitor(const struct vm *vm) { return vm->flags & PT_HEALTH_MONITOR; }

/* Where that part of the caller's memory is; NULL: it is none. */
static void *guest_pa(struct vm *vm, u32 gpa, u32 size)
{
    return gpa < vm->size && size <= vm->size - gpa ? (void *)(uintptr_t)(vm->base + gpa) : NULL;
}

static struct vm *numbered(u32 id) { return id < pt()->n_vms ? vm_of(id) : NULL; }

s32 api_null(struct vm *caller, u32 unused0, u32 unused1, u32 unused2) { return 0; }

s32 api_yield(struct vm *caller, u32 unused0, u32 unused1, u32 unused2)
{
    caller->ctx.gpr[3] = 0;
    sched_yield(caller, false);
    return 0;
}

s32 api_sched_set_param(struct vm *caller, u32 param, u32 value, u32 unused0)
{
    if (param == API_SCHED_SET_PARAM_PRIO) {
        if (value < caller->conf->prio)
            return -EPERM;
        caller->part.prio = (u8)value;
        return 0;
    }
    if (value > 1)
        return -ERANGE;
    caller->part.promised = value;
    return 0;
}

s32 api_console_write(struct vm *caller, u32 data, u32 len, u32 unused0)
{
    const volatile u8 *p = guest_pa(caller, data, len);
    if (!p)
        return -EFAULT;
    for (u32 i = 0; i < len; i++) {
        console_putc(caller->id, p[i]);
        LOOP_BOUND(64); /* calls.yaml */
    }
    return (s32)len;
}

s32 api_console_read(struct vm *caller, u32 unused0, u32 unused1, u32 unused2)
{
    struct vuart *u = &caller->uart;
    return u->rx_tail == READ_ONCE(u->rx_head) ? -EAGAIN : u->rx[u->rx_tail++];
}

s32 api_vm_info(struct vm *caller, u32 vm, u32 field, u32 unused0)
{
    const struct vm *about = vm == PT_ANY ? caller : numbered(vm);
    if (!about)
        return -ENOENT;
    if (about != caller && !monitor(caller))
        return -EPERM;
    const u32 answer[] = { about->id,   about->state,         about->core, about->runs,
                           about->used, about->part.n_events, pt()->n_vms, API_VERSION };
    return (s32)(answer[field] & 0x7fffffff);
}

s32 api_window_info(struct vm *caller, u32 field, u32 unused0, u32 unused1)
{
    const struct core_record *r = &shared.cores[core.id];
    const u32 answer[] = { core.id, turn.plan,  turn.length, turn.end - hal_now(), turn.owner == caller,
                           r->late, r->late_max };
    return (s32)(answer[field] & 0x7fffffff);
}

s32 api_event_read(struct vm *caller, u32 vm, u32 index, u32 event)
{
    const struct vm *about = numbered(vm);
    void *to = guest_pa(caller, event, sizeof(struct vm_event));
    if (!monitor(caller))
        return -EPERM;
    if (!to)
        return -EFAULT;
    if (!about || about->part.n_events - index - 1 >= VM_EVENTS)
        return -ENOENT;
    memcpy(to, &about->part.events[index % VM_EVENTS], sizeof(struct vm_event));
    return (s32)(about->part.n_events & 0x7fffffff);
}

s32 api_plan_set(struct vm *caller, u32 plan, u32 unused0, u32 unused1)
{
    if (!monitor(caller))
        return -EPERM;
    if (plan >= pt()->n_plans)
        return -ENOENT;
    shared.plan = plan;
    return 0;
}

s32 api_vm_control(struct vm *caller, u32 vm, u32 action, u32 unused0)
{
    struct vm *about = numbered(vm);
    if (!monitor(caller))
        return -EPERM;
    if (!about)
        return -ENOENT;
    about->part.order = action == API_VM_CONTROL_STOP ? ORDER_STOP : ORDER_START;
    vm_knock(about);
    return 0;
}

const struct api_service api_services[API_CALLS - API_SERVICES] = API_SERVICE_TABLE;
