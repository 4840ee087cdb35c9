/* SPDX-License-Identifier: MIT */
/*
 * hypercall.c - the services of kernel/api/calls.yaml (docs/hypercalls.md). arch/ppc405/syscall_hypercall.S has checked
 * that the VM has the right and calls from its privileged mode, and serves the calls that stand for an instruction. It
 * checks the first two arguments against the generated table; a service checks what a limit cannot express.
 *
 * A service that gives the core away must touch the caller before that, never after: another core may run the caller
 * already.
 */
#include <partition/partition.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <wcet.h>

s32 api_null(struct vm *caller, u32 unused0, u32 unused1, u32 unused2) { return 0; }

s32 api_yield(struct vm *caller, u32 unused0, u32 unused1, u32 unused2)
{
    caller->ctx.gpr[3] = 0;
    partition_yield(caller);
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

/* The answer of calls whose component is not linked. */
s32 api_absent(struct vm *caller, u32 unused0, u32 unused1, u32 unused2);
s32 api_absent(struct vm *caller, u32 unused0, u32 unused1, u32 unused2) { return -ENOSYS; }
#define MAY_BE_ABSENT(name) __attribute__((weak, alias("api_absent"))) s32 name(struct vm *, u32, u32, u32)
MAY_BE_ABSENT(api_console_write);
MAY_BE_ABSENT(api_console_read);
MAY_BE_ABSENT(api_create_comm_tunnel);
MAY_BE_ABSENT(api_tunnel_notify);
MAY_BE_ABSENT(api_tunnel_withdraw);
MAY_BE_ABSENT(api_vm_info);
MAY_BE_ABSENT(api_window_info);
MAY_BE_ABSENT(api_event_read);
MAY_BE_ABSENT(api_plan_set);
MAY_BE_ABSENT(api_vm_control);

const struct api_service guest_services[API_CALLS - API_SERVICES] = API_SERVICE_TABLE;
