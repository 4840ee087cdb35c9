/* SPDX-License-Identifier: MIT */
/* access.c: a guest's instruction is found and done on its device, or refused by the exception that says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <bytes.h>
#include <stdio.h>
#include <string.h>
#include <arch/trap.h>
#include "pc.h"

#define CODE      0x8000
#define DEVICE    0xd0000000
#define BIG       (1u << 10)
#define PF_WRITE  2
#define PF_USER   4
#define XAPIC     (2ull << 10)
#define PORT      0x70
#define REGS      cpu.vcpu.hal.regs
#define RUN(code) put(CODE, (const u8 *)(code), sizeof(code) - 1)
#define NONE      0xff

/* --- what access.c stands on: one register behind every address, and what became of the guest --------------- */

static u8 ram[0x10000];
static struct sys_domain conf = { .name = "guest" };
static struct vm vm = { .conf = &conf, .memory = { 1, { { 0, ram, sizeof(ram) } } } };
static struct vmcb vmcb;
static struct pc_vcpu cpu;
static u64 device, device_at, lapic, lapic_reg;
static unsigned accesses, size_of, vector, words;
static u32 error;
static bool has_error;
static char said[128];
u32 amdv_features;

void ioapic_sample(struct vm *vm) {}
bool io_access(struct io_map *map, u64 addr, unsigned size, bool write, u64 *value)
{
    accesses++;
    device_at = addr;
    size_of = size;
    if (write)
        device = *value;
    else
        *value = device;
    return true;
}

bool lapic_read(struct pc_vcpu *v, unsigned reg, u64 *value)
{
    lapic_reg = reg;
    *value = lapic;
    return true;
}

bool lapic_write(struct pc_vcpu *v, unsigned reg, u64 value)
{
    lapic_reg = reg;
    lapic = value;
    return true;
}

void vcpu_inject_exception(struct hal_vcpu *v, unsigned n, bool with_error, u32 code)
{
    vector = n;
    has_error = with_error;
    error = code;
}

void vcpu_traced(struct hal_vcpu *v)
{
    if (vmcb_trap(v->vmcb))
        vcpu_inject_exception(v, VEC_DB, false, 0);
}

void printk(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(said, sizeof(said), fmt, args);
    va_end(args);
    words++;
}

static int setup(void **state)
{
    memset(ram, 0, sizeof(ram));
    memset(&cpu, 0, sizeof(cpu));
    vmcb = (struct vmcb){ .rip = CODE, .rflags = 2, .cr0 = 1, .cs.attributes = BIG };
    cpu.vcpu.vm = &vm;
    cpu.vcpu.hal.vmcb = &vmcb;
    device = device_at = lapic = lapic_reg = 0;
    accesses = words = amdv_features = 0;
    vector = NONE;
    return 0;
}

static void put(u64 at, const u8 *code, unsigned n)
{
    memcpy(ram + at, code, n);
    vmcb.rip = at;
}

static void mmio(u64 info, u64 addr)
{
    vmcb.exit_info1 = info;
    pc_mmio(&cpu, &(struct vcpu_exit){ .addr = addr, .write = info & NPF_WRITE });
}

static void refused_by(unsigned by, bool with_error, u32 code)
{
    assert_int_equal(vector, by);
    assert_int_equal(has_error, with_error);
    assert_int_equal(error, code);
    assert_int_equal(accesses, 0);
    vector = NONE;
}

/* --- instructions that are done ------------------------------------------------------------------------------ */

static void test_an_instruction_in_memory_is_done(void **state)
{
    RUN("\x8b\x07"); /* mov (%edi),%eax */
    device = 0x12345678;
    mmio(0, DEVICE);
    assert_int_equal(vmcb.rax, 0x12345678);
    assert_int_equal(device_at, DEVICE);
    assert_int_equal(size_of, 4);
    assert_int_equal(vmcb.rip, CODE + 2);
    assert_int_equal(vector, NONE);
}

static void test_the_processors_own_bytes_come_first(void **state)
{
    vmcb.rip = 0xfffff000; /* where this guest has no memory */
    vmcb.fetched = 2;
    memcpy(vmcb.bytes, "\x89\x07", 2); /* mov %eax,(%edi) */
    vmcb.rax = 0x42;
    mmio(NPF_WRITE, DEVICE);
    assert_int_equal(device, 0x42);
    assert_int_equal(vmcb.rip, 0xfffff002);
}

static void test_the_local_apic_is_at_its_page_only(void **state)
{
    RUN("\x8b\x07");
    cpu.lapic.base = 0xfee00000 | XAPIC;
    lapic = 0x50014;
    mmio(0, 0xfee00030);
    assert_int_equal(lapic_reg, 3);
    assert_int_equal(vmcb.rax, 0x50014);
    assert_int_equal(accesses, 0);
    RUN("\x89\x07");
    mmio(NPF_WRITE, 0xfee00084); /* not the first word of its 16 bytes: nothing is written */
    assert_int_equal(lapic_reg, 3);
    RUN("\x89\x07");
    mmio(NPF_WRITE, 0xfee01080);
    assert_int_equal(accesses, 1);
    cpu.lapic.base |= 1 << 10; /* x2APIC has no page */
    RUN("\x8b\x07");
    mmio(0, 0xfee00030);
    assert_int_equal(accesses, 2);
}

static void test_cr8_is_written_from_any_register(void **state)
{
    RUN("\xf0\x41\x0f\x22\xc1"); /* an ignored prefix, then mov %r9,%cr8 */
    vmcb.efer = EFER_LMA;
    vmcb.cs.attributes = 1u << 9;
    REGS[9] = 0x1d;
    pc_write_cr8(&cpu);
    assert_int_equal(lapic_reg, 8);
    assert_int_equal(lapic, 0xd0);
    assert_int_equal(vmcb.rip, CODE + 5);
}

/* HLT and CPUID at the end of a segment: the processor goes on at its begin. */
static void an_instruction_at_the_end_of_its_segment_wraps(void **state)
{
    RUN("\x0f\xa2");
    pc_measure(&cpu.vcpu.hal, 2);
    assert_true(vmcb.next_rip == 0 && plain_at(&cpu.vcpu.hal, CODE)->rip == CODE);
    static u8 top[16]; /* the last bytes below 4 GiB */
    vm.memory.n = 2;
    vm.memory.range[1] = (struct guest_range){ 0xfffffff0, top, sizeof(top) };
    top[14] = 0x0f;
    vmcb.rip = 0xfffffffe;
    pc_measure(&cpu.vcpu.hal, 2);
    assert_true(vmcb.next_rip == RIP_WRAPPED);
    assert_true(plain_at(&cpu.vcpu.hal, 0xfffffffe)->rip != 0xfffffffe); /* not for the fast path */
    put(0xfffe, (const u8 *)"\x0f\xa2", 2);
    vmcb.cs.attributes = 0;
    pc_measure(&cpu.vcpu.hal, 2);
    assert_true(vmcb.next_rip == RIP_WRAPPED);
    vm.memory.n = 1;
}

static void test_a_string_of_ports_is_done_in_bounded_pieces(void **state)
{
    RUN("\xf3\x6e"); /* rep outsb */
    REGS[RCX] = 100;
    REGS[RSI] = 0x100;
    vmcb.exit_info1 = (u64)PORT << 16; /* the rest is in the instruction: some emulators leave its address size out */
    pc_string_io(&cpu);
    assert_int_equal(accesses, 64);
    assert_int_equal(device_at, PORT);
    assert_int_equal(REGS[RCX], 36);
    assert_int_equal(vmcb.rip, CODE); /* once more */
    pc_string_io(&cpu);
    assert_int_equal(accesses, 100);
    assert_int_equal(vmcb.rip, CODE + 2);
}

/* Segment and address size come from the prefixes, whatever EXITINFO1 says of them. */
static void a_string_of_ports_has_its_prefixes(void **state)
{
    RUN("\x65\x67\xf3\x6e"); /* rep outsb %gs:(%si) */
    REGS[RCX] = 0x70002;
    REGS[RSI] = 0x80100;
    vmcb.gs.base = 0x400;
    ram[0x500] = 0x5a;
    ram[0x501] = 0xa5;
    vmcb.exit_info1 = (u64)PORT << 16;
    pc_string_io(&cpu);
    assert_int_equal(accesses, 2);
    assert_int_equal(device, 0xa5);
    assert_int_equal(REGS[RCX], 0x70000);
    assert_int_equal(REGS[RSI], 0x80102);
    assert_int_equal(vmcb.rip, CODE + 4);
    RUN("\x90\x90"); /* changed meanwhile: nothing is done, the guest executes what is there */
    pc_string_io(&cpu);
    assert_int_equal(vmcb.rip, CODE);
    assert_true(accesses == 2 && vector == NONE && words == 0);
}

/* Each iteration ends with the trap, at the instruction, with RF. */
static void a_traced_string_of_ports_stops_behind_each_element(void **state)
{
    RUN("\xf3\x6e"); /* rep outsb */
    REGS[RCX] = 3;
    REGS[RSI] = 0x100;
    vmcb.rflags |= RFLAGS_TF;
    vmcb.exit_info1 = (u64)PORT << 16; /* the rest is in the instruction: some emulators leave its address size out */
    for (unsigned n = 1; n <= 3; n++) {
        vector = NONE;
        vmcb.dr6 = 0;
        pc_string_io(&cpu);
        assert_int_equal(accesses, n);
        assert_int_equal(vector, VEC_DB);
        assert_int_equal(vmcb.dr6, DR6_BS);
        assert_int_equal(vmcb.rip, n < 3 ? CODE : CODE + 2);
        assert_int_equal(vmcb.rflags & RFLAGS_RF, n < 3 ? RFLAGS_RF : 0);
    }
}

/* --- and refused ---------------------------------------------------------------------------------------------- */

static void test_tables_and_code_outside_memory_are_refused_by_name(void **state)
{
    mmio(NPF_TABLES, DEVICE);
    refused_by(VEC_PF, true, 9); /* present, reserved */
    assert_string_equal(said, "guest: vcpu 0 has page tables outside its memory, rip 8000\n");
    cpu.told = false;
    mmio(NPF_FETCH, DEVICE);
    refused_by(VEC_UD, false, 0);
    assert_string_equal(said, "guest: vcpu 0 runs code outside its memory, rip 8000\n");
    mmio(NPF_FETCH, DEVICE);
    refused_by(VEC_UD, false, 0);
    assert_int_equal(words, 2); /* each vCPU is told of once */
}

static void test_port_strings_on_device_memory_are_refused(void **state)
{
    static const char *const code[] = { "\x6c", "\x6d", "\xf3\x6e", "\x66\x6f" };
    for (unsigned i = 0; i < ARRAY_SIZE(code); i++) {
        put(CODE, (const u8 *)code[i], 2);
        REGS[RSI] = REGS[RDI] = DEVICE;
        REGS[RCX] = 1;
        mmio(0, DEVICE);
        refused_by(VEC_UD, false, 0);
        assert_int_equal(vmcb.rip, CODE);
    }
    assert_int_equal(words, 1);
    assert_string_equal(said, "guest: vcpu 0 uses an instruction on device memory that is not decoded, rip 8000\n");
}

static void test_what_is_no_move_is_refused(void **state)
{
    RUN("\x0f\x0b"); /* ud2 */
    mmio(0, DEVICE);
    refused_by(VEC_UD, false, 0);
}

/* The second half of an instruction was unmapped by another vCPU meanwhile: its page is asked for. */
static void test_a_missing_part_of_the_code_is_a_page_fault(void **state)
{
    put64(ram + 0x1000, 0x2000 | 7); /* 32-bit tables: the page before 0x4000 is present, the next is not */
    put32(ram + 0x2000 + 4 * 3, 0x3000 | 7);
    put(0x3ffe, (const u8 *)"\x8b\x87", 2); /* mov disp32(%edi),%eax */
    vmcb.cr0 |= CR0_PG;
    vmcb.cr3 = 0x1000;
    vmcb.cpl = 3;
    mmio(0, DEVICE);
    refused_by(VEC_PF, true, PF_USER);
    assert_int_equal(vmcb.cr2, 0x4000);
    assert_int_equal(vmcb.rip, 0x3ffe);
    assert_int_equal(words, 0);
    page_fault(&cpu, 0x5000, true);
    refused_by(VEC_PF, true, PF_USER | PF_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_an_instruction_in_memory_is_done, setup),
        cmocka_unit_test_setup(test_the_processors_own_bytes_come_first, setup),
        cmocka_unit_test_setup(test_the_local_apic_is_at_its_page_only, setup),
        cmocka_unit_test_setup(test_cr8_is_written_from_any_register, setup),
        cmocka_unit_test_setup(an_instruction_at_the_end_of_its_segment_wraps, setup),
        cmocka_unit_test_setup(test_a_string_of_ports_is_done_in_bounded_pieces, setup),
        cmocka_unit_test_setup(a_string_of_ports_has_its_prefixes, setup),
        cmocka_unit_test_setup(a_traced_string_of_ports_stops_behind_each_element, setup),
        cmocka_unit_test_setup(test_tables_and_code_outside_memory_are_refused_by_name, setup),
        cmocka_unit_test_setup(test_port_strings_on_device_memory_are_refused, setup),
        cmocka_unit_test_setup(test_what_is_no_move_is_refused, setup),
        cmocka_unit_test_setup(test_a_missing_part_of_the_code_is_a_page_fault, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
