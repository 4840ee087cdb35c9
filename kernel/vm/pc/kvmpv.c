/* SPDX-License-Identifier: MIT */
/*
 * kvmpv.c - the paravirtual interface that every stock Linux knows as KVM's: clock,
 * wall clock, steal time with the preempted flag (PV TLB flush), PV EOI (lapic.c does the
 * work), and the hypercalls for IPIs and yielding.
 *
 * The clock needs no updates: the guest reads the TSC itself, all cores' TSCs are one,
 * and the scale never changes, so one page content serves for the guest's whole life.
 *
 * The system file says which of these the guest may use (sys_domain.kvm); the MSRs and
 * hypercalls of the others do not exist for it.
 */
#include <arch/cpu.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/time.h>
#include "pc.h"

#define ENABLED      1ul
#define KVM_ENOSYS   1000
#define CLOCK_STABLE 1

enum { PREEMPTED = 1, FLUSH_TLB = 2 };

struct kvm_wall_clock {
    u32 version, sec, nsec;
};

struct kvm_clock {
    u32 version, pad;
    u64 tsc_timestamp, system_time;
    u32 mul;
    s8 shift;
    u8 flags, pad2[2];
};

struct kvm_steal_time {
    u64 steal;
    u32 version, flags;
    u8 preempted, pad[47];
};

_Static_assert(sizeof(struct kvm_clock) == 32 && sizeof(struct kvm_steal_time) == 64, "KVM's ABI");

static bool shown(const struct pc_vcpu *v, u32 features) { return v->vcpu.vm->conf->kvm & features; }
static void *guest(struct pc_vcpu *v, gpa_t gpa, u64 len) { return guest_ptr(&v->vcpu.vm->memory, gpa, len); }

/* ns = (ticks << shift) * mul >> 32, mul as large as 32 bits allow. */
static void scale(u64 hz, u32 *mul, s8 *shift)
{
    *shift = 0;
    while (hz > 2000000000) {
        hz >>= 1;
        (*shift)--;
    }
    while (hz <= 1000000000) {
        hz <<= 1;
        (*shift)++;
    }
    *mul = (1000000000ul << 32) / hz;
}

static bool set_clock(struct pc_vcpu *v, u64 value)
{
    struct kvm_clock *c = guest(v, value & ~ENABLED, sizeof(*c));
    if (!(value & ENABLED))
        return true;
    if (!c || value & 2)
        return false;
    u32 version = (c->version & ~1u) + 2;
    WRITE_ONCE(c->version, version - 1);
    c->tsc_timestamp = v->vcpu.vm->started;
    c->system_time = 0;
    scale(time_hz, &c->mul, &c->shift);
    c->flags = CLOCK_STABLE;
    barrier();
    WRITE_ONCE(c->version, version);
    return true;
}

static bool set_wall_clock(struct pc_vcpu *v, u64 value)
{
    struct kvm_wall_clock *w = guest(v, value, sizeof(*w));
    u64 ns = hal_wall_clock_ns() - time_to_ns(time_now() - v->vcpu.vm->started);
    if (!w)
        return false;
    w->version = 0;
    w->sec = ns / 1000000000;
    w->nsec = ns % 1000000000;
    return true;
}

static bool set_steal(struct pc_vcpu *v, u64 value)
{
    struct kvm_steal_time *s = guest(v, value & ~63ul, sizeof(*s));
    v->pv.area = NULL;
    if (!(value & ENABLED))
        return true;
    v->pv.area = s;
    return s && !(value & 62);
}

static bool set_eoi(struct pc_vcpu *v, u64 value)
{
    v->pv.eoi_set = false;
    v->pv.eoi_flag = value & ENABLED ? guest(v, value & ~3ul, 4) : NULL;
    return !(value & ENABLED) || (v->pv.eoi_flag && !(value & 2));
}

/* Which of them an MSR is, if the guest has it; the first two have an old number each, too. -1: none. */
static int number_of(const struct pc_vcpu *v, u32 msr)
{
    static const u32 feature[] = { SYS_KVM_CLOCK, SYS_KVM_CLOCK, 0, SYS_KVM_STEAL, SYS_KVM_EOI };
    u32 n = msr - 0x11 < 2 ? msr - 0x11 : msr - 0x4b564d00;
    return n < ARRAY_SIZE(feature) && shown(v, feature[n]) ? (int)n : -1;
}

bool kvm_msr_read(struct pc_vcpu *v, u32 msr, u64 *value)
{
    int n = number_of(v, msr);
    *value = n < 0 ? 0 : v->pv.msr[n];
    return n >= 0;
}

bool kvm_msr_write(struct pc_vcpu *v, u32 msr, u64 value)
{
    int n = number_of(v, msr);
    if (n < 0)
        return false;
    v->pv.msr[n] = value;
    switch (n) {
    case 0: return set_wall_clock(v, value);
    case 1: return set_clock(v, value);
    case 3: return set_steal(v, value);
    default: return set_eoi(v, value);
    }
}

void kvm_pv_reset(struct pc_vcpu *v) { v->pv = (struct kvm_pv){ 0 }; }

void kvm_away(struct pc_vcpu *v)
{
    struct kvm_pv *p = &v->pv;
    if (p->away || !p->area)
        return;
    p->away = true;
    __atomic_fetch_or(&v->vcpu.requests, REQ_BACK, __ATOMIC_RELAXED);
    p->slept = v->vcpu.halted;
    p->away_since = time_now();
    if (p->area)
        __atomic_fetch_or(&p->area->preempted, PREEMPTED, __ATOMIC_SEQ_CST);
}

void kvm_back(struct pc_vcpu *v)
{
    struct kvm_pv *p = &v->pv;
    if (!p->away)
        return;
    p->away = false;
    if (!p->area)
        return;
    if (__atomic_exchange_n(&p->area->preempted, 0, __ATOMIC_SEQ_CST) & FLUSH_TLB)
        vcpu_flush(&v->vcpu.hal);
    if (p->slept)
        return;
    p->stolen += time_now() - p->away_since;
    p->area->version++;
    barrier();
    p->area->steal = time_to_ns(p->stolen);
    barrier();
    p->area->version++;
}

/* a0, a1: 128 bits from APIC id a2 on; a3: an interrupt command without destination. */
static s64 send_ipis(struct pc_vcpu *v, const u64 a[4])
{
    struct vm *vm = v->vcpu.vm;
    s64 sent = 0;
    for (u64 i = 0; i < vm->n_vcpus; i++) {
        u64 bit = i - a[2];
        if (i < a[2] || bit > 127 || !(a[bit / 64] >> bit % 64 & 1))
            continue;
        vm_apic_message(vm, i, false, a[3] & 0xff, a[3] >> 8 & 7, false);
        sent++;
    }
    return sent;
}

s64 kvm_hypercall(struct pc_vcpu *v, u64 nr, const u64 a[4])
{
    struct vm *vm = v->vcpu.vm;
    u32 need = nr == 10 ? SYS_KVM_IPI : SYS_KVM_YIELD;
    if (nr != 1 && !shown(v, need))
        return -KVM_ENOSYS;
    switch (nr) {
    case 1: /* KVM_HC_VAPIC_POLL_IRQ: being here was the point */ return 0;
    case 5: /* KVM_HC_KICK_CPU */
        if (a[1] < vm->n_vcpus) {
            WRITE_ONCE(pc_of(vm->vcpu[a[1]])->unhalted, true);
            vcpu_kick(vm->vcpu[a[1]]);
        }
        return 0;
    case 10: /* KVM_HC_SEND_IPI */ return send_ipis(v, a);
    case 11: /* KVM_HC_SCHED_YIELD */ thread_yield(); return 0;
    default: return -KVM_ENOSYS;
    }
}
