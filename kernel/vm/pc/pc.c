/* SPDX-License-Identifier: MIT */
/*
 * pc.c - the virtual PC while it runs: connects interrupt lines to the interrupt controllers, handles exits on the fast
 * path, and implements the machine_*() functions of vm/vm.h that are called around each run. pc_life.c has the others.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include "pc.h"

#define NMI_AGAIN_NS 100000 /* well above an exit's length, so that the guest runs in between */
#define X2APIC_EOI   0x80bu
#define X2APIC_ICR   0x830u

__cold void vm_irq_line(struct vm *vm, unsigned gsi, bool level)
{
    i8259_line(vm, gsi, level);
    ioapic_line(vm, gsi == 0 ? 2 : gsi, level); /* the MADT's override: the PIT is at input 2 */
}

__cold void vm_request_pit(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++)
        __atomic_fetch_or(&vm->vcpu[i]->requests, REQ_PIT, __ATOMIC_SEQ_CST);
}

__cold void vm_request_input(struct vm *vm) { vcpu_request(vm->vcpu[0], REQ_INPUT); }

__cold void vm_extint(struct vm *vm) { vcpu_request(vm->vcpu[0], REQ_EXTINT); }

/* --- the fast path: only from CPL 0; GIF is clear and GS the guest's --------------------------------- */

/* Write an MSR that affects this vCPU alone: no timer, no lock, nothing to wake. */
static bool fast_msr_write(struct pc_vcpu *v, u32 msr, u64 value)
{
    switch (msr) {
    case X2APIC_EOI: return lapic_x2apic(v) && !value && lapic_fast_eoi(v);
    case X2APIC_ICR: return lapic_x2apic(v) && lapic_fast_self(v, value);
    case MSR_APIC_BASE:
    case MSR_EFER:
    case MSR_PAT: return msr_write(v, msr, value);
    default: return false;
    }
}

static __attribute__((noinline)) bool fast_cpuid(struct pc_vcpu *v)
{
    cpuid_exit(v);
    return true;
}

/* Do RDMSR or WRMSR and advance RIP. Returns false, with nothing changed: #GP, or the slow path. */
static __noinline bool msr_access(struct pc_vcpu *v, bool fast)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    struct guest_cpu *cpu = vcpu_cpu(h);
    u32 msr = h->regs[RCX];
    u64 value;
    if (vcpu_msr_written(h)) {
        value = (u32)cpu->rax | h->regs[RDX] << 32;
        if (!(fast ? fast_msr_write(v, msr, value) : msr_write(v, msr, value)))
            return false;
    } else {
        if (!msr_read(v, msr, &value))
            return false;
        cpu->rax = (u32)value;
        h->regs[RDX] = value >> 32;
    }
    vcpu_advance(h, 2);
    return true;
}

bool pc_fast(struct hal_vcpu *h, u64 code)
{
    struct pc_vcpu *v = pc_of_hal(h);
    struct guest_cpu *cpu = vcpu_cpu(h);
    if (code == RAW_HYPERCALL) {
        if (cpu->rax != API_BASE + API_NULL || !v->calls)
            return false;
        vcpu_step_fast(h, 3);
        cpu->rax = 0;
        return true;
    }
    if (vcpu_raw_is_msr(code))
        return msr_access(v, true);
    return code == RAW_CPUID && fast_cpuid(v);
}

/* --- around each run ---------------------------------------------------------------------------------- */

/* Offer the 8259's interrupt. Its vector is known only when the guest can take it. */
static __cold void offer_extint(struct pc_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    if (v->window)
        vcpu_cancel_window(h);
    v->window = false;
    if (!lapic_takes_extint(v) || !i8259_pending(v->vcpu.vm)) {
        vcpu_take_request(&v->vcpu, REQ_EXTINT);
    } else if (vcpu_irq_window(h)) {
        int vector = i8259_ack(v->vcpu.vm);
        if (vector >= 0)
            vcpu_inject_irq(h, vector);
    } else {
        lapic_withdraw(&v->lapic); /* until then V_IRQ stands for the window */
        vcpu_request_window(h);
        v->window = true;
    }
}

/*
 * Inject an NMI, or try again soon. The hardware has no window for NMIs: a virtual interrupt would wait for RFLAGS.IF,
 * and single steps would be visible in a PUSHF or an exception's frame. So this core's alarm makes the guest exit again
 * soon, when the interrupt shadow is over.
 */
static __cold void offer_nmi(struct vcpu *vcpu)
{
    int err = vcpu_inject_nmi(&vcpu->hal);
    if (!err)
        vcpu_take_request(vcpu, REQ_NMI);
    else if (err == -EAGAIN)
        alarm_before(this_cpu(), time_after(NMI_AGAIN_NS));
}

/* INIT. At the boot processor it would start the firmware again; here the loader takes the firmware's place, so it is
 * a reset. */
static __cold void handle_init(struct pc_vcpu *v)
{
    if (v->vcpu.id == 0) {
        vcpu_take_request(&v->vcpu, REQ_INIT);
        vm_reset(v->vcpu.vm, "INIT to the boot processor");
        return;
    }
    pc_init_vcpu(v);
    __atomic_fetch_or(&v->vcpu.requests, REQ_WAIT,
                      __ATOMIC_SEQ_CST); /* set before INIT is cleared, so that a STARTUP is never ignored in between */
    __atomic_fetch_and(&v->vcpu.requests, ~(REQ_INIT | REQ_NMI | REQ_EXTINT | REQ_BACK), __ATOMIC_SEQ_CST);
}

static inline void take_input(struct vcpu *vcpu)
{
    if (vcpu_take_request(vcpu, REQ_INPUT) && !virtio_console_resume(vcpu->vm))
        __atomic_fetch_or(&vcpu->requests, REQ_INPUT, __ATOMIC_SEQ_CST);
}

bool machine_handle_requests(struct vcpu *vcpu)
{
    struct pc_vcpu *v = pc_of(vcpu);
    if (vcpu_take_request(vcpu, REQ_BACK))
        kvm_resumed(v);
    if (vcpu_take_request(vcpu, REQ_TIMER))
        lapic_resume_timer(v);
    if (vcpu_take_request(vcpu, REQ_PIT))
        pit_resume(vcpu->vm);
    take_input(vcpu);
    if (READ_ONCE(vcpu->requests) & REQ_INIT)
        handle_init(v);
    if (vcpu_take_request(vcpu, REQ_SIPI) && vcpu_take_request(vcpu, REQ_WAIT)) {
        vcpu_take_request(vcpu, REQ_NMI); /* an NMI that came before the STARTUP is dropped */
        vcpu_sipi(&vcpu->hal, READ_ONCE(v->sipi_vector));
    }
    u32 requests = READ_ONCE(vcpu->requests);
    if (requests & REQ_WAIT)
        return false;
    if (requests & REQ_NMI)
        offer_nmi(vcpu);
    if (requests & REQ_EXTINT)
        offer_extint(v);
    return true;
}

/* While V_IRQ stands for the 8259's window nothing is offered. */
void machine_before_run(struct vcpu *vcpu)
{
    struct pc_vcpu *v = pc_of(vcpu);
    if ((v->lapic.irr_words | v->lapic.offered) && !v->window)
        lapic_offer(v);
}

void machine_after_run(struct vcpu *vcpu)
{
    struct pc_vcpu *v = pc_of(vcpu);
    u32 tpr_moved = (vcpu_tpr(&vcpu->hal) ^ v->lapic.tpr) & 0xf0;
    if (tpr_moved | v->lapic.offered | v->pv.eoi_set)
        lapic_sync(v);
}

__cold bool machine_has_work(struct vcpu *vcpu)
{
    struct pc_vcpu *v = pc_of(vcpu);
    take_input(vcpu); /* input does not end a HLT, but the device's interrupt does, and input that must wait */
    u32 requests = READ_ONCE(vcpu->requests);
    if (requests & REQ_INPUT)
        return true;
    if (requests & REQ_WAIT)
        return requests & (REQ_INIT | REQ_SIPI);
    if (requests & REQ_INIT || (requests & REQ_NMI && !vcpu_nmi_masked(&vcpu->hal)) || vcpu_event_due(&vcpu->hal))
        return true;
    if (READ_ONCE(v->unhalted)) {
        WRITE_ONCE(v->unhalted, false);
        return true;
    }
    if (!(vcpu_cpu(&vcpu->hal)->rflags & RFLAGS_IF))
        return false;
    return lapic_deliverable(v) || (requests & REQ_EXTINT && lapic_takes_extint(v));
}

void machine_suspended(struct vcpu *v) { kvm_preempted(pc_of(v)); }

static __cold __noinline void other_call(struct pc_vcpu *v)
{
    static const u8 place[2][4] = { { RBX, RCX, RDX, RSI }, { RDI, RSI, RDX, 10 } };
    struct hal_vcpu *h = &v->vcpu.hal;
    u64 nr = vcpu_cpu(h)->rax, arg[4];
    bool ours = (nr & ~0xfffful) == API_BASE;
    if (ours ? !v->calls : !(v->vcpu.vm->conf->flags & SYS_KVM_PV)) {
        vcpu_inject_exception(h, VEC_UD, false, 0);
        return;
    }
    vcpu_skip(h, 3);
    for (unsigned i = 0; i < 4; i++)
        arg[i] = h->regs[place[ours][i]];
    s64 result = -EPERM; /* the same number in KVM's ABI */
    if (!vcpu_cpu(h)->cpl)
        result = ours ? vm_hypercall(&v->vcpu, nr & 0xffff, arg) : kvm_hypercall(v, nr, arg);
    vcpu_cpu(h)->rax = (u64)result;
}

/* API_YIELD comes first: the switch from one guest to the next is counted (bench/exits). */
void machine_hypercall(struct vcpu *vcpu)
{
    struct pc_vcpu *v = pc_of(vcpu);
    struct guest_cpu *cpu = vcpu_cpu(&vcpu->hal);
    if (unlikely(cpu->rax != API_BASE + API_YIELD || cpu->cpl || !v->calls || cpu->rflags & TRACED)) {
        other_call(v);
        return;
    }
    vcpu_step(&vcpu->hal, 3);
    cpu->rax = 0;
    vcpu->alive = true;
    thread_yield();
}

bool machine_exit(struct vcpu *vcpu, const struct vcpu_exit *e)
{
    struct pc_vcpu *v = pc_of(vcpu);
    switch (e->reason) {
    case VCPU_EXIT_MSR:
        if (msr_access(v, false))
            vcpu_advanced(&vcpu->hal);
        else
            vcpu_inject_exception(&vcpu->hal, VEC_GP, true, 0);
        return true;
    case VCPU_EXIT_MMIO: pc_mmio(v, e); return true;
    case VCPU_EXIT_CPUID:
        cpuid_exit(v);
        vcpu_advanced(&vcpu->hal);
        return true;
    case VCPU_EXIT_WINDOW:
        vcpu_cancel_window(&vcpu->hal);
        v->window = false;
        return true;
    case VCPU_EXIT_OTHER:
        if (e->addr == RAW_STRING_IO)
            pc_string_io(v);
        else if (e->addr == RAW_PAUSE)
            thread_yield();
        else if (vcpu_raw_is_cr8(e->addr))
            pc_write_cr8(v);
        else if (vcpu_raw_is_undefined(e->addr) && pc_is_vmmcall(v))
            machine_hypercall(vcpu);
        else if (vcpu_raw_is_undefined(e->addr))
            vcpu_inject_exception(&vcpu->hal, VEC_UD, false, 0);
        else
            return false;
        return true;
    default: return false;
    }
}
