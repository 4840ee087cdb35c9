/* SPDX-License-Identifier: MIT */
/*
 * hypercall.c - the services of kernel/api/calls.yaml (docs/hypercalls.md), for a VM that has the right and calls from
 * its privileged mode (arch/ppc405/syscall_hypercall.S has looked, and serves the calls that stand for an instruction).
 * Arguments are checked against the generated table before a service sees them; what a limit
 * cannot say is checked by the service.
 *
 * A service that gives the core away must be the last to touch the caller: another core may run it already.
 */
#include <core/partition.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <wcet.h>

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

void hypercall(struct vm *vm, u32 number)
{
    static const struct api_service services[API_CALLS - API_SERVICES] = API_SERVICE_TABLE;
    const struct api_service *s = &services[number - API_SERVICES];
    u32 *gpr = vm->ctx.gpr;
    s32 result = -ENOSYS;

    if (number < API_CALLS) {
        result = -ERANGE;
        /* 255 in the table is no limit */
        if ((gpr[3] <= s->max[0] || s->max[0] == 255) && (gpr[4] <= s->max[1] || s->max[1] == 255)) {
            INDIRECT_TABLE(services, API_CALLS - API_SERVICES, sizeof(*s), offsetof(struct api_service, run));
            result = s->run(vm, gpr[3], gpr[4], gpr[5]);
        }
    }
    if (number != API_YIELD)
        gpr[3] = (u32)result;
}
