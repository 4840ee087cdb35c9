/* SPDX-License-Identifier: MIT */
/* The processor that a guest sees: nothing that it must not have, everything that this kernel gives, for any leaf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pc.h"
#include "records.h"

#define BIT(n) (1u << (n))

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now;
u64 host_cr4, time_hz = 2500000000;
static u64 xcr0;
u64 vcpu_xcr0_supported(void) { return xcr0; }

static struct sys_domain conf;
static struct vm vm;
static struct vmcb vmcb;
void vmcb_advance_called(struct vmcb *b, unsigned length) { b->rip += length; }
static struct pc_vcpu cpu;

/* A board that has everything. */
static struct cpuid_regs all(u32 leaf, u32 sub)
{
    if (leaf == 0x80000000)
        return (struct cpuid_regs){ 0x8000ffff, ~0u, ~0u, ~0u };
    return (struct cpuid_regs){ ~0u, ~0u, ~0u, ~0u };
}

static struct cpuid_regs none(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0, 0, 0, 0 }; }

struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);

static void prepare(struct cpuid_regs (*board)(u32, u32), unsigned n, u64 features)
{
    memset(&cpu, 0, sizeof(cpu));
    memset(&vmcb, 0, sizeof(vmcb));
    host_cpuid = board;
    conf.n_vcpus = n;
    xcr0 = features;
    vm.conf = &conf;
    vm.n_vcpus = n;
    cpu.vcpu.vm = &vm;
    cpu.vcpu.hal.vmcb = &vmcb;
    cpu.lapic.id = n - 1;
    cpuid_prepare(&cpu);
}

static struct cpuid_entry ask(u32 leaf, u32 sub)
{
    vmcb.rax = 0xabcd00000000 | leaf;
    cpu.vcpu.hal.regs[RCX] = 0xabcd00000000 | sub;
    vmcb.rip = 0x1000;
    cpuid_exit(&cpu);
    assert_int_equal(vmcb.rip, 0x1002);
    assert_int_equal(vmcb.rax >> 32, 0); /* results are 32 bits, the upper halves are cleared */
    assert_int_equal(cpu.vcpu.hal.regs[RCX] >> 32, 0);
    return (struct cpuid_entry){ vmcb.rax, cpu.vcpu.hal.regs[RBX], cpu.vcpu.hal.regs[RCX], cpu.vcpu.hal.regs[RDX] };
}

static bool empty(struct cpuid_entry e) { return !(e.eax | e.ebx | e.ecx | e.edx); }

static void test_what_a_guest_must_not_have(void **state)
{
    prepare(all, 2, 7);
    struct cpuid_entry one = ask(1, 0), ext = ask(0x80000001, 0), seven = ask(7, 0);
    assert_false(one.ecx & (BIT(3) | BIT(5) | BIT(15) | BIT(18))); /* MONITOR, VMX, PDCM, DCA */
    assert_false(ext.ecx & (BIT(2) | BIT(12) | BIT(23)));          /* AMD-V, SKINIT, counters */
    assert_false(one.edx & (BIT(18) | BIT(21) | BIT(22)));         /* serial number, DS, ACPI throttling */
    assert_false(seven.ebx & (BIT(2) | BIT(14) | BIT(16)));        /* SGX, MPX, AVX-512: not in XCR0 */
    assert_false(seven.ecx & BIT(3));                              /* PKU */
    assert_false(seven.edx & (BIT(26) | BIT(27)));                 /* speculation controls */
    assert_true(empty(ask(0x8000000a, 0)));
    assert_true(empty(ask(0xa, 0)));
    assert_int_equal(ask(0x80000008, 0).ebx & ~(BIT(0) | BIT(2)), 0);
}

static void test_what_every_guest_gets(void **state)
{
    prepare(none, 1, 0);
    struct cpuid_entry one = ask(1, 0);
    assert_int_equal(one.ecx & (BIT(21) | BIT(24) | BIT(31)), BIT(21) | BIT(24) | BIT(31));
    assert_true(ask(6, 0).eax & BIT(2));
    assert_true(ask(0x80000007, 0).edx & BIT(8));
    assert_false(one.ecx & (BIT(12) | BIT(26) | BIT(27) | BIT(28))); /* the board has no XSAVE */
    assert_true(empty(ask(0xd, 0)));
}

static void test_osxsave_mirrors_cr4(void **state)
{
    prepare(all, 1, 7);
    assert_false(ask(1, 0).ecx & BIT(27));
    vmcb.cr4 = BIT(18);
    assert_true(ask(1, 0).ecx & BIT(27));
    assert_true(ask(1, 0).ecx & BIT(28));
    prepare(all, 1, 3); /* XSAVE without AVX */
    assert_true(ask(1, 0).ecx & BIT(26));
    assert_false(ask(1, 0).ecx & BIT(28));
    assert_false(ask(7, 0).ebx & BIT(5));
}

static void test_topology(void **state)
{
    prepare(all, 5, 7);
    struct cpuid_entry one = ask(1, 0), core = ask(0xb, 1), thread = ask(0xb, 0);
    assert_int_equal(one.ebx >> 24, 4);
    assert_int_equal(one.ebx >> 16 & 0xff, 5);
    assert_true(one.edx & BIT(28));
    assert_int_equal(thread.eax, 0);
    assert_int_equal(thread.ecx, 0x100);
    assert_int_equal(core.eax, 3); /* ids of five CPUs take three bits */
    assert_int_equal(core.ebx, 5);
    assert_int_equal(core.ecx, 0x201);
    assert_int_equal(core.edx, 4);
    assert_true(empty(ask(0xb, 2)));
    assert_int_equal(ask(0x80000008, 0).ecx, 0x3004);
    prepare(all, 1, 7);
    assert_false(ask(1, 0).edx & BIT(28));
    assert_int_equal(ask(0x80000008, 0).ecx, 0);
}

static void test_state_components(void **state)
{
    prepare(all, 1, 7);
    assert_int_equal(ask(0xd, 1).eax, 5); /* XSAVEOPT, XGETBV(1); the compacted forms want XSS */
    assert_false(empty(ask(0xd, 2)));
    assert_true(empty(ask(0xd, 3)));
    assert_true(empty(ask(0xd, 62)));
    assert_true(empty(ask(0xd, 64)));
    assert_true(empty(ask(0xd, ~0u)));
}

static void test_the_kvm_leaves_on_wish(void **state)
{
    conf.flags = 0;
    prepare(all, 1, 7);
    assert_int_equal(ask(0x40000000, 0).ebx, 0x6c616d41);
    assert_true(empty(ask(0x40000001, 0)));
    conf.flags = SYS_KVM_PV;
    vm_record(&conf)->kvm = SYS_KVM_ALL;
    prepare(all, 1, 7);
    assert_int_equal(ask(0x40000000, 0).ebx, 0x4b4d564b);
    assert_int_equal(ask(0x40000001, 0).eax,
                     BIT(0) | BIT(3) | BIT(5) | BIT(6) | BIT(7) | BIT(9) | BIT(11) | BIT(13) | BIT(24));
    assert_int_equal(ask(0x40000010, 0).eax, 2500000);
}

static void test_only_the_kvm_features_of_the_system_file(void **state)
{
    conf.flags = SYS_KVM_PV;
    vm_record(&conf)->kvm = SYS_KVM_EOI | SYS_KVM_YIELD;
    prepare(all, 1, 7);
    assert_int_equal(ask(0x40000000, 0).eax, 0x40000001);
    assert_int_equal(ask(0x40000000, 0).ebx, 0x4b4d564b);
    assert_int_equal(ask(0x40000001, 0).eax, BIT(6) | BIT(7) | BIT(13));
    assert_true(empty(ask(0x40000010, 0))); /* frequencies belong to the clock */
}

/* Any leaf: an answer or zeros, from inside the tables (the sanitizer watches). */
static void test_any_leaf(void **state)
{
    prepare(all, 8, 7);
    for (u32 base = 0; base < 16; base++)
        for (u32 i = 0; i < 0x200; i++)
            ask(base << 28 | (i - 0x100), i);
    assert_true(empty(ask(0x10, 0)));
    assert_true(empty(ask(0x40000011, 0)));
    assert_true(empty(ask(0x8000001b, 0))); /* beyond what leaf 0x80000000 says */
    assert_int_equal(ask(0x80000000, 0).eax, 0x8000001a);
    assert_true(empty(ask(0xffffffff, 0)));
    assert_true(empty(ask(7, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_guest_must_not_have),
        cmocka_unit_test(test_what_every_guest_gets),
        cmocka_unit_test(test_osxsave_mirrors_cr4),
        cmocka_unit_test(test_topology),
        cmocka_unit_test(test_state_components),
        cmocka_unit_test(test_the_kvm_leaves_on_wish),
        cmocka_unit_test(test_only_the_kvm_features_of_the_system_file),
        cmocka_unit_test(test_any_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
