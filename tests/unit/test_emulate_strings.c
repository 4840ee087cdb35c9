/* SPDX-License-Identifier: MIT */
/* emulate_string(): strings move between memory and a device as the manual says; what cannot be done changes nothing.
 */
#include "emulate_test.h"

#define FLAG_DF 0x400u

#define REGS         cpu.vcpu.hal.regs
#define STRING(c, w) string((const u8 *)(c), sizeof(c) - 1, 32, w)

static bool string(const u8 *code, unsigned n, unsigned bits, bool write)
{
    struct insn i;
    assert_int_equal(insn_decode(code, n, bits, &i), n);
    return emulate_string(&cpu, &i, DEVICE, write);
}

static void test_rep_movs_to_a_device(void **state)
{
    memcpy(ram + 0x2000, "\x11\x22\x33\x44\x55\x66\x77\x88", 8);
    REGS[RCX] = 2;
    REGS[RSI] = 0x2000;
    REGS[RDI] = DEVICE;
    assert_true(STRING("\xf3\xa5", true)); /* once more */
    assert_int_equal(device, 0x44332211);
    assert_int_equal(device_at, DEVICE);
    assert_int_equal(vmcb.rip, 0x100);
    assert_false(vmcb.shadow);
    assert_int_equal(REGS[RCX], 1);
    assert_false(STRING("\xf3\xa5", true));
    assert_int_equal(device, 0x88776655);
    assert_int_equal(vmcb.rip, 0x102);
    assert_int_equal(REGS[RCX], 0);
    assert_int_equal(REGS[RSI], 0x2008);
    assert_int_equal(REGS[RDI], DEVICE + 8);
    assert_false(STRING("\xf3\xa5", true)); /* a count of 0 does nothing */
    assert_int_equal(writes, 2);
    assert_int_equal(vmcb.rip, 0x104);
}

static void test_movs_from_a_device_downwards(void **state)
{
    vmcb.rflags |= FLAG_DF;
    vmcb.es.base = 0x1000;
    REGS[RSI] = DEVICE;
    REGS[RDI] = 0x300;
    device = 0xbeef;
    STRING("\x66\xa5", false);
    assert_int_equal(ram[0x1300], 0xef);
    assert_int_equal(ram[0x1301], 0xbe);
    assert_int_equal(REGS[RDI], 0x2fe);
    assert_int_equal(REGS[RSI], DEVICE - 2);
    assert_int_equal(vmcb.rip, 0x102);
}

static void test_movs_between_devices(void **state)
{
    REGS[RSI] = DEVICE;
    REGS[RDI] = 0xd0000000;
    device = 0x5a;
    STRING("\xa4", false);
    assert_int_equal(reads, 1);
    assert_int_equal(writes, 1);
    assert_int_equal(device_at, 0xd0000000);
    assert_int_equal(device, 0x5a);
    assert_int_equal(REGS[RDI], 0xd0000001);
}

static void test_stos_and_lods(void **state)
{
    vmcb.rax = 0x1234567890;
    REGS[RDI] = 0xffff0004;
    REGS[RCX] = 0x70001;
    assert_false(STRING("\x67\xf3\xab", true)); /* 16-bit address: DI and CX */
    assert_int_equal(device, 0x34567890);
    assert_int_equal(REGS[RDI], 0xffff0008);
    assert_int_equal(REGS[RCX], 0x70000);
    assert_int_equal(vmcb.rip, 0x103);
    device = 0x42;
    STRING("\xac", false);
    assert_int_equal(vmcb.rax, 0x1234567842);
    assert_int_equal(REGS[RSI], 1);
    STRING("\xad", false);
    assert_true(vmcb.rax == 0x42); /* 32 bits clear the upper half */
}

static void test_ins_and_outs(void **state)
{
    memcpy(ram + 0x40, "\x11\x22", 2);
    REGS[RSI] = 0x40;
    REGS[RDI] = 0x50;
    STRING("\x66\x6f", true);
    assert_int_equal(device, 0x2211);
    assert_int_equal(REGS[RSI], 0x42);
    device = 0xa5;
    STRING("\x6c", false);
    assert_int_equal(ram[0x50], 0xa5);
    assert_int_equal(REGS[RDI], 0x51);
}

static void test_other_operand_misses(void **state)
{
    struct pc_vcpu before;
    vmcb.cr0 |= 1u << 31; /* with page tables that map nothing */
    REGS[RSI] = 0x5000;
    REGS[RDI] = 0x6000;
    before = cpu;
    assert_false(STRING("\xa5", true));
    assert_int_equal(faults, 1);
    assert_int_equal(fault_va, 0x5000);
    assert_false(fault_write);
    assert_false(STRING("\xa5", false));
    assert_int_equal(faults, 2);
    assert_int_equal(fault_va, 0x6000);
    assert_true(fault_write);
    assert_false(STRING("\x6d", false));
    assert_int_equal(faults, 3);
    assert_int_equal(reads + writes, 0); /* they may have side effects */
    assert_memory_equal(&cpu, &before, sizeof(cpu));
    assert_int_equal(vmcb.rip, 0x100);
    vmcb.cr0 = 1;
    REGS[RSI] = sizeof(ram) - 2; /* half in RAM */
    assert_false(STRING("\xa5", true));
    assert_int_equal(refused, 1);
    assert_int_equal(writes, 0);
    REGS[RSI] = 0xd0000000; /* from device memory to a port */
    assert_false(STRING("\x6f", true));
    assert_int_equal(refused, 2);
    assert_int_equal(reads + writes, 0);
}

static void test_a_device_that_wants_it_again(void **state)
{
    struct pc_vcpu before = cpu;
    struct insn i;
    again = true;
    assert_false(STRING("\xab", true));
    assert_true(insn_decode((const u8 *)"\x0f\xc1\x07", 3, 32, &i) > 0); /* XADD: neither register nor flags */
    emulate(&cpu, &i, DEVICE);
    assert_memory_equal(&cpu, &before, sizeof(cpu));
    assert_int_equal(vmcb.rip, 0x100);
    assert_int_equal(vmcb.rflags, 2);
}

static void test_rip_wraps_with_its_mode(void **state)
{
    struct insn i;
    vmcb.rip = 0xffff;
    assert_int_equal(insn_decode((const u8 *)"\x8b\x07", 2, 16, &i), 2);
    emulate(&cpu, &i, DEVICE);
    assert_int_equal(vmcb.rip, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_rep_movs_to_a_device, setup),
        cmocka_unit_test_setup(test_movs_from_a_device_downwards, setup),
        cmocka_unit_test_setup(test_movs_between_devices, setup),
        cmocka_unit_test_setup(test_stos_and_lods, setup),
        cmocka_unit_test_setup(test_ins_and_outs, setup),
        cmocka_unit_test_setup(test_other_operand_misses, setup),
        cmocka_unit_test_setup(test_a_device_that_wants_it_again, setup),
        cmocka_unit_test_setup(test_rip_wraps_with_its_mode, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
