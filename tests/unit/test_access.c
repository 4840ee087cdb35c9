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

static void test_a_string_of_ports_is_done_in_bounded_pieces(void **state)
{
    RUN("\xf3\x6e"); /* rep outsb */
    REGS[RCX] = 100;
    REGS[RSI] = 0x100;
    vmcb.exit_info1 = (u64)PORT << 16 | 1 << 8 | 1 << 4 | 1 << 3;
    vmcb.exit_info2 = CODE + 2;
    pc_string_io(&cpu);
    assert_int_equal(accesses, 64);
    assert_int_equal(device_at, PORT);
    assert_int_equal(REGS[RCX], 36);
    assert_int_equal(vmcb.rip, CODE); /* once more */
    pc_string_io(&cpu);
    assert_int_equal(accesses, 100);
    assert_int_equal(vmcb.rip, CODE + 2);
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
        cmocka_unit_test_setup(test_a_string_of_ports_is_done_in_bounded_pieces, setup),
        cmocka_unit_test_setup(test_tables_and_code_outside_memory_are_refused_by_name, setup),
        cmocka_unit_test_setup(test_port_strings_on_device_memory_are_refused, setup),
        cmocka_unit_test_setup(test_what_is_no_move_is_refused, setup),
        cmocka_unit_test_setup(test_a_missing_part_of_the_code_is_a_page_fault, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
