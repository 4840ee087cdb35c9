/* SPDX-License-Identifier: MIT */
/* KVM's MSRs and hypercalls exist for a guest exactly where its system file shows the feature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pc.h"
#include "records.h"

#define NO_SUCH_CALL (-1000)

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now = 5000;
u64 time_hz = 2500000000;

static struct sys_domain conf;
static struct vm vm;
static struct pc_vcpu cpu[2];
static u8 ram[8192];
static unsigned messages, kicks, yields;

/* --- what kvmpv.c stands on ---------------------------------------------------------------------- */

u64 hal_wall_clock_at(u64 ns) { return 1000000000ul; }
u64 time_to_ns(ticks_t t) { return t; }
void vcpu_kick(struct vcpu *v) { kicks++; }
void vcpu_flush(struct hal_vcpu *h) {}
void thread_yield(void) { yields++; }
void vm_apic_message(struct vm *m, u64 icr) { messages++; }

static void show(u32 features)
{
    memset(cpu, 0, sizeof(cpu));
    messages = kicks = yields = 0;
    conf.flags = SYS_KVM_PV;
    vm_record(&conf)->kvm = features;
    vm.conf = &conf;
    vm.n_vcpus = 2;
    vm.memory.n = 1;
    vm.memory.range[0].gpa = 0;
    vm.memory.range[0].size = sizeof(ram);
    vm.memory.range[0].host = ram;
    for (unsigned i = 0; i < 2; i++) {
        cpu[i].vcpu.vm = &vm;
        vm.vcpu[i] = &cpu[i].vcpu;
    }
}

static bool has_msr(u32 msr)
{
    u64 value;
    bool reads = kvm_msr_read(&cpu[0], msr, &value), writes = kvm_msr_write(&cpu[0], msr, 0x1000);
    assert_int_equal(reads, writes);
    return reads;
}

static s64 call(u64 nr)
{
    const u64 a[4] = { 1, 1, 0, 0xfb };
    return kvm_hypercall(&cpu[0], nr, a);
}

/* Which of its six features the guest has, found out by using them. */
static u32 found(void)
{
    u32 f = 0;
    unsigned clocks = has_msr(0x11) + has_msr(0x12) + has_msr(0x4b564d00) + has_msr(0x4b564d01);
    assert_true(clocks == 0 || clocks == 4);
    f |= clocks ? SYS_KVM_CLOCK : 0;
    f |= has_msr(0x4b564d03) ? SYS_KVM_STEAL : 0;
    f |= has_msr(0x4b564d04) ? SYS_KVM_EOI : 0;
    f |= call(10) == 1 ? SYS_KVM_IPI : 0;
    assert_int_equal(messages, f & SYS_KVM_IPI ? 1 : 0);
    f |= call(5) == 0 && call(11) == 0 ? SYS_KVM_YIELD : 0;
    assert_int_equal(kicks, f & SYS_KVM_YIELD ? 1 : 0);
    assert_int_equal(yields, f & SYS_KVM_YIELD ? 1 : 0);
    return f;
}

static void test_each_feature_alone(void **state)
{
    static const u32 each[] = { SYS_KVM_CLOCK, SYS_KVM_STEAL, SYS_KVM_EOI, SYS_KVM_IPI, SYS_KVM_YIELD };
    for (unsigned i = 0; i < ARRAY_SIZE(each); i++) {
        show(each[i]);
        assert_int_equal(found(), each[i]);
    }
}

static void test_all_and_none(void **state)
{
    show(SYS_KVM_ALL);
    assert_int_equal(found(), SYS_KVM_ALL & ~SYS_KVM_FLUSH); /* a flush is asked for by a bit in the steal area */
    show(0);
    assert_int_equal(found(), 0);
}

static void test_what_no_feature_has(void **state)
{
    u64 value;
    show(SYS_KVM_ALL);
    for (u32 msr = 0x4b564d00; msr < 0x4b564d10; msr++)
        if (msr != 0x4b564d00 && msr != 0x4b564d01 && msr != 0x4b564d03 && msr != 0x4b564d04)
            assert_false(kvm_msr_read(&cpu[0], msr, &value) || kvm_msr_write(&cpu[0], msr, 0));
    assert_int_equal(call(9), NO_SUCH_CALL);
    assert_int_equal(call(~0ul), NO_SUCH_CALL);
    assert_int_equal(call(1), 0);
}

/* What an MSR cannot mean is refused, and what was there before stays. */
static void test_areas_that_cannot_be(void **state)
{
    static const struct {
        u32 msr;
        u64 value;
    } refused[] = {
        { 0x4b564d03, 0x1003 }, { 0x4b564d03, 0x1021 }, { 0x4b564d03, 8192 - 32 + 1 }, { 0x4b564d04, 0x1003 },
        { 0x4b564d04, 8193 },   { 0x4b564d01, 0x1003 }, { 0x4b564d01, ~0ul },          { 0x4b564d00, 8192 },
    };
    u64 value;
    show(SYS_KVM_ALL);
    assert_true(kvm_msr_write(&cpu[0], 0x4b564d03, 0x1041));
    assert_true(kvm_msr_write(&cpu[0], 0x4b564d04, 0x1081));
    for (unsigned i = 0; i < ARRAY_SIZE(refused); i++)
        assert_false(kvm_msr_write(&cpu[0], refused[i].msr, refused[i].value));
    assert_ptr_equal(cpu[0].pv.area, ram + 0x1040);
    assert_ptr_equal(cpu[0].pv.eoi_flag, ram + 0x1080);
    assert_true(kvm_msr_read(&cpu[0], 0x4b564d03, &value) && value == 0x1041);
    assert_true(kvm_msr_write(&cpu[0], 0x4b564d03, 0) && kvm_msr_write(&cpu[0], 0x4b564d04, 0));
    assert_null(cpu[0].pv.area);
    assert_null(cpu[0].pv.eoi_flag);
}

static void test_interrupts_for_the_vcpus_that_are_there(void **state)
{
    static const struct {
        u64 a[4];
        unsigned sent;
    } calls[] = { { { 7, 7, 0 }, 2 },    { { 2, 0, 0 }, 1 }, { { 3, 3, 1 }, 1 }, { { 1, 1, 2 }, 0 },
                  { { 3, 3, ~0ul }, 0 }, { { 0, 1, 0 }, 0 }, { { 0, 0, 0 }, 0 } };
    show(SYS_KVM_ALL);
    for (unsigned i = 0; i < ARRAY_SIZE(calls); i++) {
        messages = 0;
        assert_int_equal(kvm_hypercall(&cpu[0], 10, calls[i].a), calls[i].sent);
        assert_int_equal(messages, calls[i].sent);
    }
}

static void test_the_clock_s_scale(void **state)
{
    show(SYS_KVM_ALL);
    assert_true(kvm_msr_write(&cpu[0], 0x4b564d01, 0x1001));
    u32 mul;
    memcpy(&mul, ram + 0x1018, 4);
    assert_int_equal(mul, (1000000000ull << 32) / 1250000000);
    assert_int_equal((s8)ram[0x101c], -1);
    time_hz = 400000000;
    assert_true(kvm_msr_write(&cpu[0], 0x4b564d01, 0x1001));
    memcpy(&mul, ram + 0x1018, 4);
    assert_int_equal(mul, (1000000000ull << 32) / 1600000000);
    assert_int_equal((s8)ram[0x101c], 2);
    time_hz = 2500000000;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_feature_alone),
        cmocka_unit_test(test_all_and_none),
        cmocka_unit_test(test_what_no_feature_has),
        cmocka_unit_test(test_areas_that_cannot_be),
        cmocka_unit_test(test_interrupts_for_the_vcpus_that_are_there),
        cmocka_unit_test(test_the_clock_s_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
