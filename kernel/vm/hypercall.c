/* SPDX-License-Identifier: MIT */
/*
 * hypercall.c - implements our own calls (kernel/api/calls.yaml). The generated decoder has checked all arguments
 * before.
 */
#include <core/channel.h>
#include <core/cpu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <vm/vm.h>

s64 api_null(struct vcpu *v) { return 0; }

s64 api_yield(struct vcpu *v)
{
    v->alive = true;
    thread_yield();
    return 0;
}

s64 api_sched_set_param(struct vcpu *v, u32 prio)
{
    if (prio == PRIO_IDLE || prio > v->vm->conf->prio)
        return -EPERM;
    return thread_set_prio(thread_self(), prio);
}

s64 api_console_write(struct vcpu *v, u8 *data, u32 len)
{
    vm_console_write(v->vm, (const char *)data, len);
    return len;
}

_Static_assert(CHANNEL_RIGHTS == (int)API_TUNNEL_INFO_RIGHTS && CHANNEL_RUNNING == (int)API_TUNNEL_INFO_RUNNING,
               "one order");

s64 api_tunnel_info(struct vcpu *v, u32 index, u32 field)
{
    s64 answer = channel_ops ? channel_ops->info(v->vm->domain, index, field) : -ENOENT;
    if (answer < 0)
        return answer;
    return field == CHANNEL_PLACE  ? (s64)machine_channel_at(answer)
           : field == CHANNEL_BELL ? machine_channel_line(answer)
                                   : answer;
}

s64 api_tunnel_notify(struct vcpu *v, u32 index)
{
    return channel_ops ? channel_ops->notify(v->vm->domain, index) : -ENOENT;
}

static const struct sys_frame *frame_of(unsigned core)
{
    for (unsigned i = 0; i < system_table->n_frames; i++)
        if (sys_frame(system_table, i)->core == core)
            return sys_frame(system_table, i);
    return NULL;
}

s64 api_window_info(struct vcpu *v, u32 field)
{
    const struct sys_frame *f = frame_of(v->core);
    s64 windows = 0, length = 0, start = 0;
    for (unsigned i = 0; f && i < f->n_windows; i++) {
        const struct sys_window *w = sys_window(system_table, f->first_window + i);
        if (w->domain != v->vm->domain->id)
            continue;
        start = windows++ ? start : w->start_us;
        length += w->length_us;
    }
    const s64 answer[] = { v->core, f ? f->length_us : 0, windows, length, start, (s64)sched_window_began() };
    return answer[field];
}

static s64 count_tunnels(struct vcpu *v)
{
    s64 n = 0;
    while (api_tunnel_info(v, n, CHANNEL_SIZE) >= 0)
        n++;
    return n;
}

s64 api_domain_info(struct vcpu *v, u32 field)
{
    switch (field) {
    case API_DOMAIN_INFO_API_VERSION: return API_VERSION;
    case API_DOMAIN_INFO_DOMAIN: return v->vm->domain->id;
    case API_DOMAIN_INFO_VCPU: return v->id;
    case API_DOMAIN_INFO_N_VCPUS: return v->vm->n_vcpus;
    case API_DOMAIN_INFO_TSC_KHZ: return time_hz / 1000;
    default: return count_tunnels(v);
    }
}

__noinline s64 vm_hypercall(struct vcpu *v, u32 nr, const u64 arg[4]) { return api_decode(v, &v->vm->memory, nr, arg); }
