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

static bool shown(const struct pc_vcpu *v, u32 features) { return v->vcpu.vm->conf->vm.kvm & features; }

/* The scale: ns = (ticks << shift) * mul >> 32, mul as large as 32 bits allow. */
static void set_clock(const struct vm *vm, struct kvm_clock *c)
{
    u32 version = (c->version & ~1u) + 2;
    u64 hz = time_hz << 30;
    s8 shift = 30;
    for (; hz > 2000000000; shift--)
        hz >>= 1;
    WRITE_ONCE(c->version, version - 1);
    c->tsc_timestamp = vm->started;
    c->system_time = 0;
    c->mul = (1000000000ul << 32) / hz;
    c->shift = shift;
    c->flags = CLOCK_STABLE;
    barrier();
    WRITE_ONCE(c->version, version);
}

static void set_wall_clock(const struct vm *vm, struct kvm_wall_clock *w)
{
    u64 ns = hal_wall_clock_ns() - time_to_ns(time_now() - vm->started);
    w->version = 0;
    w->sec = ns / 1000000000;
    w->nsec = ns % 1000000000;
}

/* The MSRs: whose they are, and which area of the guest's they name, with address bits that have to be 0. */
enum { WALL_CLOCK, CLOCK, NONE, STEAL, EOI };
static const struct {
    u32 feature;
    u8 size, zero;
} areas[] = {
    [WALL_CLOCK] = { SYS_KVM_CLOCK, sizeof(struct kvm_wall_clock), 3 },
    [CLOCK] = { SYS_KVM_CLOCK, sizeof(struct kvm_clock), 2 },
    [STEAL] = { SYS_KVM_STEAL, sizeof(struct kvm_steal_time), 62 },
    [EOI] = { SYS_KVM_EOI, 4, 2 },
};

/* Which of them an MSR is, if the guest has it; the first two have an old number each, too. -1: none. */
static int number_of(const struct pc_vcpu *v, u32 msr)
{
    u32 n = msr - 0x11 < 2 ? msr - 0x11 : msr - 0x4b564d00;
    return n < ARRAY_SIZE(areas) && shown(v, areas[n].feature) ? (int)n : -1;
}

bool kvm_msr_read(struct pc_vcpu *v, u32 msr, u64 *value)
{
    int n = number_of(v, msr);
    if (n < 0)
        return false;
    *value = v->pv.msr[n];
    return true;
}

bool kvm_msr_write(struct pc_vcpu *v, u32 msr, u64 value)
{
    int n = number_of(v, msr);
    if (n < 0)
        return false;
    struct vm *vm = v->vcpu.vm;
    void *area = NULL; /* off */
    if (n == WALL_CLOCK || value & ENABLED) {
        area = guest_ptr(&vm->memory, value & ~ENABLED, areas[n].size);
        if (!area || value & areas[n].zero)
            return false;
    }
    v->pv.msr[n] = value;
    switch (n) {
    case WALL_CLOCK:
        if (area) /* it never is off */
            set_wall_clock(vm, area);
        break;
    case CLOCK:
        if (area)
            set_clock(vm, area);
        break;
    case STEAL: v->pv.area = area; break;
    default: v->pv.eoi_set = false; v->pv.eoi_flag = area;
    }
    return true;
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

/* a0, a1: 128 bits from APIC id a2 on, of which no guest has more than a0's; a3: an interrupt command without
 * destination. */
static s64 send_ipis(struct pc_vcpu *v, const u64 a[4])
{
    struct vm *vm = v->vcpu.vm;
    s64 sent = 0;
    _Static_assert(SYS_MAX_VCPUS <= 64, "a1 stands for none");
    for (u64 id = a[2], bits = a[0]; id < vm->n_vcpus; id++, bits >>= 1) {
        if (bits & 1) {
            vm_apic_message(vm, id << 32 | (a[3] & 0x7ff));
            sent++;
        }
    }
    return sent;
}

s64 kvm_hypercall(struct pc_vcpu *v, u64 nr, const u64 a[4])
{
    struct vm *vm = v->vcpu.vm;
    if (nr == 1) /* KVM_HC_VAPIC_POLL_IRQ: being here was the point */
        return 0;
    if (!shown(v, nr == 10 ? SYS_KVM_IPI : SYS_KVM_YIELD))
        return -KVM_ENOSYS;
    switch (nr) {
    case 5: /* KVM_HC_KICK_CPU */
        if (a[1] < vm->n_vcpus) {
            struct vcpu *other = vm->vcpu[a[1]];
            WRITE_ONCE(pc_of(other)->unhalted, true);
            vcpu_kick(other);
        }
        return 0;
    case 10: /* KVM_HC_SEND_IPI */ return send_ipis(v, a);
    case 11: /* KVM_HC_SCHED_YIELD */ thread_yield(); return 0;
    default: return -KVM_ENOSYS;
    }
}
