/* SPDX-License-Identifier: MIT */
/*
 * kvmpv.c - KVM's paravirtual interface, which every stock Linux knows: clock, wall clock, steal time with the
 * preempted flag (PV TLB flush), PV EOI (lapic.c does the work), and the hypercalls for IPIs and yielding.
 *
 * The clock page is never updated: the guest reads the TSC itself, all cores' TSCs agree, and the scale never changes.
 *
 * The system file says which of these a guest may use (sys_domain.kvm). The MSRs and hypercalls of the others do not
 * exist for it.
 */
#include <arch/cpu.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/time.h>
#include "pc.h"

#define MSR_KVM_WALL_CLOCK     0x11u       /* then MSR_KVM_SYSTEM_TIME */
#define MSR_KVM_WALL_CLOCK_NEW 0x4b564d00u /* then SYSTEM_TIME_NEW, ASYNC_PF_EN, STEAL_TIME, PV_EOI_EN */

#define ENABLED      1ul
#define KVM_ENOSYS   1000
#define CLOCK_STABLE 1 /* PVCLOCK_TSC_STABLE_BIT */

enum { KVM_HC_VAPIC_POLL_IRQ = 1, KVM_HC_KICK_CPU = 5, KVM_HC_SEND_IPI = 10, KVM_HC_SCHED_YIELD = 11 };
enum { PREEMPTED = 1, FLUSH_TLB = 2 }; /* KVM_VCPU_PREEMPTED, KVM_VCPU_FLUSH_TLB */

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

static bool shown(const struct pc_vcpu *v, u32 features) { return sys_vm(v->vcpu.vm->conf)->kvm & features; }

/* ns = (ticks << shift) * mul >> 32, with the largest mul that fits in 32 bits. */
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

/* The MSRs: the feature that each belongs to, the size of the guest's area that it names, and address bits that must
 * be 0. */
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

/* Return the index of an MSR that the guest has, -1: none. The first two have an old number each, too. */
static int number_of(const struct pc_vcpu *v, u32 msr)
{
    u32 n = msr - MSR_KVM_WALL_CLOCK < 2 ? msr - MSR_KVM_WALL_CLOCK : msr - MSR_KVM_WALL_CLOCK_NEW;
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
    void *area = NULL; /* NULL: off */
    if (n == WALL_CLOCK || value & ENABLED) {
        area = guest_ptr(&vm->memory, value & ~ENABLED, areas[n].size);
        if (!area || value & areas[n].zero)
            return false;
    }
    v->pv.msr[n] = value;
    switch (n) {
    case WALL_CLOCK:
        if (area) /* it has no bit ENABLED */
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

void kvm_preempted(struct pc_vcpu *v)
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

void kvm_resumed(struct pc_vcpu *v)
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

/* KVM_HC_SEND_IPI. a0, a1: a map of 128 APIC ids from a2 on, of which a0 covers all vCPUs that a guest can have; a3:
 * an ICR value without destination. */
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
    if (nr == KVM_HC_VAPIC_POLL_IRQ) /* the exit itself is enough: pending interrupts are now offered */
        return 0;
    if (!shown(v, nr == KVM_HC_SEND_IPI ? SYS_KVM_IPI : SYS_KVM_YIELD))
        return -KVM_ENOSYS;
    switch (nr) {
    case KVM_HC_KICK_CPU:
        if (a[1] < vm->n_vcpus) {
            struct vcpu *other = vm->vcpu[a[1]];
            WRITE_ONCE(pc_of(other)->unhalted, true);
            vcpu_kick(other);
        }
        return 0;
    case KVM_HC_SEND_IPI: return send_ipis(v, a);
    case KVM_HC_SCHED_YIELD: thread_yield(); return 0;
    default: return -KVM_ENOSYS;
    }
}
