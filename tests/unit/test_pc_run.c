/* SPDX-License-Identifier: MIT */
/* What a vCPU does before it enters its guest, over a control block that no processor runs; its hypercalls and constant
 * MSRs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <core/cpu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include "pc.h"

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, time_hz = 1000000000;
u32 amdv_features;
struct cpu *host_this_cpu;
bool host_irq_on;
ticks_t host_now;

static struct cpu core;
static struct vm vm;
static struct vmcb vmcb;
static struct pc_vcpu v;
static struct sys_domain conf;

/* --- what pc.c and msr.c stand on ----------------------------------------------------------------------- */

ticks_t time_from_ns(u64 ns) { return ns; }
void hal_timer_arm(ticks_t deadline) { assert_true(deadline == core.alarm); }
void vcpu_request(struct vcpu *c, u32 request) { c->requests |= request; }
void i8259_line(struct vm *m, unsigned irq, bool level) {}
bool i8259_pending(struct vm *m) { return false; }
int i8259_ack(struct vm *m) { return -1; }
void ioapic_line(struct vm *m, unsigned gsi, bool level) {}
void pit_resume(struct vm *m) {}
void lapic_resume_timer(struct pc_vcpu *c) {}
unsigned lapic_deliverable(const struct pc_vcpu *c) { return 0; }
bool lapic_takes_extint(const struct pc_vcpu *c) { return false; }
void lapic_withdraw(struct lapic *a) {}
void lapic_offer(struct pc_vcpu *c) {}
void lapic_sync(struct pc_vcpu *c) {}
bool lapic_fast_eoi(struct pc_vcpu *c) { return false; }
bool lapic_fast_self(struct pc_vcpu *c, u64 icr) { return false; }
bool lapic_read(struct pc_vcpu *c, u32 reg, u64 *value) { return false; }
bool lapic_write(struct pc_vcpu *c, u32 reg, u64 value) { return false; }
bool lapic_set_base(struct pc_vcpu *c, u64 value) { return false; }
void lapic_set_deadline(struct pc_vcpu *c, u64 value) {}
bool kvm_msr_read(struct pc_vcpu *c, u32 msr, u64 *value) { return false; }
bool kvm_msr_write(struct pc_vcpu *c, u32 msr, u64 value) { return false; }
s64 kvm_hypercall(struct pc_vcpu *c, u64 nr, const u64 arg[4]) { return 0; }
void kvm_resumed(struct pc_vcpu *c) {}
void kvm_preempted(struct pc_vcpu *c) {}
static unsigned calls, yields;
s64 vm_hypercall(struct vcpu *c, u32 nr, const u64 arg[4])
{
    calls++;
    return nr + arg[0] + arg[1] + arg[2] + arg[3];
}
void vm_reset(struct vm *m, const char *why) {}
void pc_init_vcpu(struct pc_vcpu *c) {}
bool virtio_console_resume(struct vm *vm) { return true; }
void vcpu_sipi(struct hal_vcpu *h, u8 vector) {}
void vcpu_set_tsc_aux(struct hal_vcpu *h, u32 value) {}
void cpuid_exit(struct pc_vcpu *c) { vcpu_advance(&c->vcpu.hal, 2); }
void pc_mmio(struct pc_vcpu *c, const struct vcpu_exit *e) {}
void pc_string_io(struct pc_vcpu *c) {}
void pc_write_cr8(struct pc_vcpu *c) {}
void thread_yield(void) { yields++; }

static int setup(void **state)
{
    memset(&v, 0, sizeof(v));
    memset(&vmcb, 0, sizeof(vmcb));
    v.vcpu.vm = &vm;
    v.vcpu.hal.vmcb = &vmcb;
    vm.conf = &conf;
    vm.n_vcpus = 1;
    vm.vcpu[0] = &v.vcpu;
    host_this_cpu = &core;
    core.alarm = TICKS_NEVER;
    host_now = 5000;
    calls = yields = 0;
    return 0;
}

static bool nmi_injected(void) { return (v.vcpu.hal.inject & EVENT_VALID) && (v.vcpu.hal.inject & 0xff) == 2; }

static void an_nmi_comes_at_once(void **state)
{
    v.vcpu.requests = REQ_NMI;
    assert_true(machine_handle_requests(&v.vcpu));
    assert_true(nmi_injected());
    assert_int_equal(v.vcpu.requests, 0);
    assert_true(core.alarm == TICKS_NEVER);
}

/* A guest that computes has no exit of its own: the alarm makes one. */
static void an_nmi_in_an_interrupt_shadow_comes_soon(void **state)
{
    v.vcpu.requests = REQ_NMI;
    vmcb.shadow = 1;
    assert_true(machine_handle_requests(&v.vcpu));
    assert_false(nmi_injected());
    assert_int_equal(v.vcpu.requests, REQ_NMI);
    assert_in_range(core.alarm - host_now, 10000, 1000000);
    host_now = core.alarm;
    core.alarm = TICKS_NEVER;
    vmcb.shadow = 0;
    assert_true(machine_handle_requests(&v.vcpu));
    assert_true(nmi_injected());
    assert_int_equal(v.vcpu.requests, 0);
    assert_true(core.alarm == TICKS_NEVER);
}

static void an_nmi_behind_another_event_comes_soon(void **state)
{
    v.vcpu.requests = REQ_NMI;
    vcpu_inject_exception(&v.vcpu.hal, 14, true, 2);
    assert_true(machine_handle_requests(&v.vcpu));
    assert_int_equal(v.vcpu.hal.inject & 0xff, 14);
    assert_int_equal(v.vcpu.requests, REQ_NMI);
    assert_in_range(core.alarm - host_now, 10000, 1000000);
}

/* Until the handler's IRET, which exits: nothing has to be made to happen. */
static void an_nmi_while_one_is_handled_waits_for_its_end(void **state)
{
    v.vcpu.requests = REQ_NMI;
    v.vcpu.hal.nmi_masked = true;
    assert_true(machine_handle_requests(&v.vcpu));
    assert_int_equal(v.vcpu.requests, REQ_NMI);
    assert_true(core.alarm == TICKS_NEVER);
}

static void performance_counters_are_there_and_count_nothing(void **state)
{
    for (u32 msr = 0xc0010000; msr < 0xc0010008; msr++) {
        u64 value = 7;
        assert_true(msr_write(&v, msr, ~0ul));
        assert_true(msr_read(&v, msr, &value));
        assert_int_equal(value, 0);
    }
    u64 value;
    assert_false(msr_read(&v, 0xc0010008, &value));
    assert_false(msr_write(&v, 0xc000ffff, 0));
}

static void make_call(u32 nr)
{
    vmcb.rax = nr;
    machine_hypercall(&v.vcpu);
}

static void a_call_changes_rax_and_no_other_register(void **state)
{
    v.calls = true;
    for (unsigned i = 0; i < ARRAY_SIZE(v.vcpu.hal.regs); i++)
        v.vcpu.hal.regs[i] = 1000 * i;
    struct hal_vcpu before = v.vcpu.hal;
    make_call(API_BASE + API_YIELD);
    assert_true(vmcb.rax == 0 && yields == 1 && calls == 0 && v.vcpu.alive);
    make_call(API_BASE + API_DOMAIN_INFO);
    assert_int_equal(vmcb.rax, API_DOMAIN_INFO + 1000 * (RDI + RSI + RDX + 10));
    assert_true(calls == 1 && vmcb.rip == 6);
    assert_memory_equal(before.regs, v.vcpu.hal.regs, sizeof(before.regs));
}

static void a_call_from_above_ring_0_is_refused(void **state)
{
    v.calls = true;
    for (vmcb.cpl = 1; vmcb.cpl <= 3; vmcb.cpl++) {
        make_call(API_BASE + API_YIELD);
        assert_true((s64)vmcb.rax == -EPERM);
        make_call(API_BASE + API_CONSOLE_WRITE);
        assert_true((s64)vmcb.rax == -EPERM);
    }
    assert_int_equal(calls + yields, 0);
    assert_int_equal(vmcb.rip, 6 * 3);
}

static void without_the_right_a_call_is_no_instruction(void **state)
{
    for (u32 nr = API_BASE; nr <= API_BASE + API_CALLS; nr++) {
        v.vcpu.hal.inject = 0;
        make_call(nr);
        assert_int_equal(v.vcpu.hal.inject & (EVENT_VALID | 0xff), EVENT_VALID | VEC_UD);
        assert_int_equal(vmcb.rax, nr);
        assert_false(pc_fast(&v.vcpu.hal, VMEXIT_VMMCALL));
    }
    assert_int_equal(calls + yields + vmcb.rip, 0);
}

/* Exits of instructions that the machine model executes, and what it is to step over. */
static void each_instruction_that_is_done_here_retires(void **state)
{
    static const struct {
        struct vcpu_exit e;
        unsigned length;
        u64 rax;
        u64 code; /* on the fast path, where there is one */
    } rows[] = {
        { { .reason = VCPU_EXIT_CPUID }, 2, 0, VMEXIT_CPUID },
        { { .reason = VCPU_EXIT_MSR }, 2, 0, VMEXIT_MSR },
        { { .reason = VCPU_EXIT_HYPERCALL }, 3, API_BASE + API_NULL, VMEXIT_VMMCALL },
        { { .reason = VCPU_EXIT_HYPERCALL }, 3, API_BASE + API_YIELD, 0 },
        { { .reason = VCPU_EXIT_HYPERCALL }, 3, API_BASE + API_DOMAIN_INFO, 0 },
    };
    for (unsigned n = 0; n < 2 * ARRAY_SIZE(rows); n++) {
        unsigned i = n / 2;
        bool fast = n % 2;
        if (fast && !rows[i].code)
            continue;
        setup(NULL);
        v.calls = true;
        v.vcpu.hal.regs[RCX] = 0xc0010000;
        vmcb.rax = rows[i].rax;
        vmcb.rip = 0x1000;
        vmcb.rflags = 2 | RFLAGS_TF | RFLAGS_RF;
        if (fast) { /* and then what amdv/entry.S does */
            assert_true(pc_fast(&v.vcpu.hal, rows[i].code));
            amdv_traced(&v.vcpu.hal);
        } else if (rows[i].e.reason == VCPU_EXIT_HYPERCALL)
            machine_hypercall(&v.vcpu);
        else
            assert_true(machine_exit(&v.vcpu, &rows[i].e));
        assert_int_equal(vmcb.rip, 0x1000 + rows[i].length);
        assert_true((fast ? vmcb.event_inject : v.vcpu.hal.inject) == event_exception(VEC_DB, false, 0));
        assert_true((fast ? v.vcpu.hal.inject : vmcb.event_inject) == 0);
        assert_int_equal(vmcb.dr6, DR6_BS);
        assert_int_equal(vmcb.rflags & RFLAGS_RF, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_nmi_comes_at_once, setup),
        cmocka_unit_test_setup(an_nmi_in_an_interrupt_shadow_comes_soon, setup),
        cmocka_unit_test_setup(an_nmi_behind_another_event_comes_soon, setup),
        cmocka_unit_test_setup(an_nmi_while_one_is_handled_waits_for_its_end, setup),
        cmocka_unit_test_setup(performance_counters_are_there_and_count_nothing, setup),
        cmocka_unit_test_setup(a_call_changes_rax_and_no_other_register, setup),
        cmocka_unit_test_setup(a_call_from_above_ring_0_is_refused, setup),
        cmocka_unit_test_setup(without_the_right_a_call_is_no_instruction, setup),
        cmocka_unit_test_setup(each_instruction_that_is_done_here_retires, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
