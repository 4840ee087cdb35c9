/* SPDX-License-Identifier: MIT */
/* What Linux tells other CPUs by its local APIC while something is given: decoded, and only what concerns its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>
#include <core/frames.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/arch/x86/attach/apic.h"

#define APIC  0xfee00000ul
#define WRITE (1ul << 32 | 2)
#define CPUS  5
#define CODE  0xffffffff81000ffcul /* near the end of its page */

enum { FIXED = 0xfc, LOWEST = 0x100, SMI = 0x200, NMI = 0x400, INIT = 0x4500, STARTUP = 0x4600, EXTINT = 0x700 };
enum { LOGICAL = 1 << 11, TO_SELF = 1 << 18, TO_ALL = 2 << 18, TO_OTHERS = 3 << 18 };

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ .eax = 48, .edx = 1u << 26 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr;
struct cpu *host_this_cpu;
bool host_irq_on;
struct acpi_info machine = { .lapic = APIC };
struct linux_cpu *linux_cpus[ATTACH_MAX_CPUS];
unsigned n_linux_cpus;

static struct linux_cpu l[CPUS];
static struct attach_cpu page;
static struct vmcb vmcb;
static bool guarded, x2;
static u32 reg[0x100];
static u64 sent[16]; /* destination and command */
static unsigned n_sent;
static void *allocated[1024]; /* a table for each 512 GiB */
static unsigned pages;
static u64 entry;
static u8 window[PAGE_SIZE], *text;
static u64 *tables[4];

void *page_alloc(void) { return memset(allocated[pages++] = aligned_alloc(PAGE_SIZE, PAGE_SIZE), 0, PAGE_SIZE); }
void page_clean(void *p) {}
void linux_trap_icr(bool on) {}
void linux_trap_ports(bool on) {}
paddr_t attach_power_page(unsigned n) { return 0; }
void invlpg(const void *p) { memcpy(window, phys_to_virt(entry & PTE_ADDR), PAGE_SIZE); }
bool attach_guarded(void) { return guarded; }
bool apic_is_x2(void) { return x2; }
u32 apic_read(enum apic_reg r) { return reg[r]; }
void apic_write(enum apic_reg r, u32 v) { reg[r] = v; }
void apic_icr(u32 dest, u32 command)
{
    sent[n_sent++ % 16] = (u64)dest << 32 | command;
    if (!x2)
        reg[APIC_ICR_HIGH] = dest << 24;
}
struct linux_cpu *linux_cpu_find(u32 apic_id)
{
    for (unsigned i = 0; i < CPUS; i++)
        if (l[i].apic_id == apic_id)
            return &l[i];
    return NULL;
}

/* Linux maps its text, two pages of it, at the top of its address space. */
static int setup(void **state)
{
    static const u32 states[CPUS] = { ATTACH_CPU_LINUX, ATTACH_CPU_DYING, ATTACH_CPU_CORE, ATTACH_CPU_PARKED,
                                      ATTACH_CPU_LINUX };
    memset(l, 0, sizeof(l));
    memset(&page, 0, sizeof(page));
    memset(&vmcb, 0, sizeof(vmcb));
    memset(reg, 0, sizeof(reg));
    for (unsigned i = 0; i < CPUS; i++) {
        linux_cpus[i] = &l[i];
        l[i].apic_id = i;
        l[i].state = states[i];
    }
    n_linux_cpus = CPUS;
    pages = n_sent = 0;
    guarded = true;
    x2 = false;
    if (linux_space_init())
        return 1;
    for (unsigned i = 0; i < 4; i++)
        tables[i] = page_alloc();
    text = aligned_alloc(PAGE_SIZE, 2 * PAGE_SIZE);
    for (unsigned i = 0; i < 3; i++)
        tables[i][CODE >> (39 - 9 * i) & 511] = virt_to_phys(tables[i + 1]) | PTE_P | PTE_W;
    tables[3][CODE >> 12 & 511] = virt_to_phys(text) | PTE_P;
    tables[3][(CODE >> 12 & 511) + 1] = virt_to_phys(text + PAGE_SIZE) | PTE_P;
    l[0].page = &page;
    l[0].vmcb = &vmcb;
    l[0].window = window;
    l[0].window_entry = &entry;
    vmcb.cr3 = virt_to_phys(tables[0]);
    vmcb.efer = EFER_LMA;
    vmcb.cs.attributes = 0xa9b;
    return 0;
}

static int teardown(void **state)
{
    while (pages)
        free(allocated[--pages]);
    free(text);
    return 0;
}

/* Linux stores by these bytes. */
static bool store_by(const void *code, unsigned n, u64 at)
{
    vmcb.rip = CODE;
    memcpy(text + (CODE & (PAGE_SIZE - 1)), code, n);
    return attach_apic_store(&l[0], WRITE, at);
}
static bool store(unsigned offset, u32 value)
{
    page.regs[RSI] = value;
    return store_by("\x89\xb7\x00\x03\x00\x00", 6, APIC + offset); /* mov %esi, 0x300(%rdi) */
}
static bool command(u32 dest, u32 what)
{
    n_sent = 0;
    if (x2)
        return attach_apic_command(&l[0], (u64)dest << 32 | what);
    reg[APIC_ICR_HIGH] = dest << 24;
    return store(0x300, what);
}
static bool sends(u32 dest, u32 what)
{
    return command(dest, what) && n_sent == 1 && sent[0] == ((u64)dest << 32 | what);
}

static void registers_are_written_as_linux_says(void **state)
{
    assert_true(store(0xb0, 7));
    assert_int_equal(reg[0xb], 7);
    assert_int_equal(vmcb.rip, CODE + 6);
    assert_true(
        store_by("\xc7\x87\x80\x03\x00\x00\x78\x56\x34\x12", 10, APIC + 0x380)); /* movl $0x12345678, 0x380(%rdi) */
    assert_int_equal(reg[0x38], 0x12345678);
    assert_int_equal(vmcb.rip, CODE + 10);
    vmcb.rax = 0xffffffff00000005;
    reg[8] = 9;
    assert_true(store_by("\x87\x07", 2, APIC + 0x80)); /* xchg %eax, (%rdi) */
    assert_int_equal(reg[8], 5);
    assert_int_equal(vmcb.rax, 9);
    vmcb.rflags = 0x100; /* a debugger steps over it */
    assert_true(store(0xb0, 1));
    assert_int_equal(vmcb.event_inject, 1 | EVENT_EXCEPTION | EVENT_VALID);
}

static void the_processor_may_bring_the_bytes(void **state)
{
    memcpy(vmcb.bytes, "\x44\x89\x07", 3); /* mov %r8d, (%rdi) */
    vmcb.fetched = 15;
    vmcb.cr3 = 0;
    page.regs[8] = 3;
    assert_true(attach_apic_store(&l[0], WRITE, APIC + 0x80));
    assert_int_equal(reg[8], 3);
}

static void what_is_no_store_to_a_register_is_refused(void **state)
{
    assert_false(store(0, 1)); /* an interrupt message to the emulator */
    assert_false(store(0x304, 1));
    assert_false(store(0x1000, 0x4500));
    assert_false(store(0xffff0, 0x4500));
    assert_false(store_by("\x66\x89\x37", 3, APIC + 0x300)); /* two bytes, */
    assert_false(store_by("\x48\x89\x37", 3, APIC + 0x300)); /* eight, */
    assert_false(store_by("\x09\x37", 2, APIC + 0x300));     /* an OR, */
    assert_false(store_by("\xab", 1, APIC + 0x300));         /* a string's */
    assert_false(store_by("\xf3\x0f\x11\x07", 4, APIC + 0x300));
    vmcb.rip = CODE;
    assert_false(attach_apic_store(&l[0], 2, APIC + 0xb0)); /* a walk that sets a bit in there */
    vmcb.cpl = 3;
    assert_false(store(0xb0, 1));
    vmcb.cpl = 0;
    vmcb.cs.attributes = 0xc9b;
    assert_false(store(0xb0, 1));
    vmcb.cs.attributes = 0xa9b;
    assert_true(store(0xb0, 1));
    assert_int_equal(n_sent, 0);
}

static void bytes_are_taken_from_linuxs_memory_only(void **state)
{
    paddr_t piece = ALIGN_DOWN(virt_to_phys(text), 2 * MIB);
    assert_true(store(0xb0, 1));
    assert_int_equal(linux_hide(piece, 4 * MIB), 0);
    assert_false(store(0xb0, 2));
    linux_show(piece, 4 * MIB);
    tables[3][(CODE >> 12 & 511) + 1] = 0; /* the instruction's end misses */
    assert_false(store(0xb0, 2));
    vmcb.cr3 = 1ul << 50;
    assert_false(store(0xb0, 2));
    assert_int_equal(reg[0xb], 1);
}

static void linux_speaks_to_its_own(void **state)
{
    assert_true(sends(4, FIXED));
    assert_true(sends(1, NMI)); /* on its way down, and Linux still */
    assert_true(sends(0, FIXED | TO_SELF));
    assert_true(sends(4, LOWEST));
    assert_true(sends(0xc, FIXED | LOGICAL)); /* those that are given have no such address */
    assert_false(command(2, FIXED));
    assert_false(command(3, FIXED));
    assert_false(command(2, NMI));
    assert_false(command(77, FIXED));
    for (unsigned dest = 0; dest < 5; dest++) {
        assert_false(command(dest, SMI));
        assert_false(command(dest, EXTINT));
        assert_false(command(dest, 0x300));
    }
    assert_int_equal(n_sent, 0);
}

static void all_means_all_of_linuxs(void **state)
{
    static const u32 ways[] = { FIXED | TO_ALL, NMI | TO_ALL };
    for (unsigned i = 0; i < 2; i++) {
        assert_true(command(9, ways[i]));
        assert_int_equal(n_sent, 3);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(sent[n], (n == 2 ? 4ul : n) << 32 | (ways[i] & 0x7ff));
        assert_int_equal(reg[APIC_ICR_HIGH], 9 << 24); /* as Linux had it */
    }
    assert_true(command(0, FIXED | TO_OTHERS));
    assert_int_equal(n_sent, 2);
    assert_int_equal(sent[0] >> 32, 1);
    assert_true(command(0xff, FIXED) && n_sent == 3);
    assert_true(command(0xff, FIXED | LOGICAL) && n_sent == 3);
    assert_int_equal(sent[0], FIXED);
    assert_false(command(0, LOWEST | TO_ALL));
    assert_false(command(0xff, LOWEST));
    assert_false(command(0, SMI | TO_ALL));
    assert_false(command(0, INIT | TO_ALL));
    assert_false(command(0xff, INIT));
    assert_false(command(0xff, STARTUP));
    assert_false(command(0xff, INIT | LOGICAL));
}

static void only_a_parked_cpu_starts(void **state)
{
    for (unsigned dest = 0; dest < 6; dest++)
        assert_int_equal(command(dest, INIT), dest == 3);
    assert_int_equal(l[3].startup, 0);
    for (unsigned dest = 0; dest < 6; dest++)
        assert_true(command(dest, 0x8500)); /* INIT's end */
    assert_true(command(3, STARTUP | 0x99));
    assert_int_equal(l[3].startup, CORE_STARTUP | 0x99);
    assert_false(command(2, STARTUP | 7));
    assert_false(command(5, STARTUP | 7));
    assert_true(command(4, STARTUP | 7)); /* it runs, and does not hear it */
    assert_int_equal(n_sent, 0);
    assert_true(!l[2].startup && !l[4].startup);
}

static void x2apic_is_filtered_alike(void **state)
{
    x2 = true;
    l[2].apic_id = 0x12;
    assert_true(sends(4, FIXED));
    assert_false(command(0x12, FIXED));
    assert_true(sends(0x10001, FIXED | LOGICAL));
    assert_false(command(0x10005, FIXED | LOGICAL)); /* cluster 1, place 2 */
    assert_false(command(0x8, FIXED | LOGICAL));     /* the parked one */
    assert_false(command(0xff, FIXED));              /* an identifier here */
    assert_true(command(~0u, FIXED) && n_sent == 3);
    assert_true(command(0, FIXED | TO_OTHERS) && n_sent == 2);
    assert_true(command(3, STARTUP | 1));
    assert_false(command(4, INIT));
    guarded = false;
    assert_true(command(4, INIT) && n_sent == 1);
    assert_false(store(0xb0, 1)); /* there is no such page */
}

static void reserved_bits_of_an_x2apic_command_stay_with_linux(void **state)
{
    static const u32 reserved = 0xfff32000;
    x2 = true;
    for (unsigned bit = 0; bit < 32; bit++)
        for (unsigned on = 0; on < 2; on++) {
            guarded = on;
            n_sent = 0;
            if (!(reserved >> bit & 1))
                continue;
            for (unsigned way = 0; way < 4; way++) /* to one, itself, all, others */
                assert_false(attach_apic_command(&l[0], 4ul << 32 | FIXED | way << 18 | 1u << bit));
            assert_int_equal(n_sent, 0);
        }
    guarded = true;
    assert_true(sends(4, FIXED | 1u << 14)); /* as Linux asserts it */
    assert_true(sends(4, FIXED | 1u << 15));
    assert_true(command(4, FIXED | 1u << 12) && n_sent == 1 && sent[0] == (4ul << 32 | FIXED)); /* that it was sent */
}

static void unguarded_it_is_linuxs(void **state)
{
    guarded = false;
    assert_true(command(2, INIT));
    assert_int_equal(reg[APIC_ICR], INIT);
    assert_int_equal(n_sent, 0);
}

static void the_base_stays(void **state)
{
    assert_true(attach_apic_base(0xfee00900));
    assert_true(attach_apic_base(0xfee00800)); /* whether it is the first CPU is not written */
    assert_false(attach_apic_base(0xfee00d00));
    assert_false(attach_apic_base(0xfee00100));
    assert_false(attach_apic_base(0xfec00900));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(registers_are_written_as_linux_says, setup, teardown),
        cmocka_unit_test_setup_teardown(the_processor_may_bring_the_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_store_to_a_register_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes_are_taken_from_linuxs_memory_only, setup, teardown),
        cmocka_unit_test_setup_teardown(linux_speaks_to_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(all_means_all_of_linuxs, setup, teardown),
        cmocka_unit_test_setup_teardown(only_a_parked_cpu_starts, setup, teardown),
        cmocka_unit_test_setup_teardown(x2apic_is_filtered_alike, setup, teardown),
        cmocka_unit_test_setup_teardown(reserved_bits_of_an_x2apic_command_stay_with_linux, setup, teardown),
        cmocka_unit_test_setup_teardown(unguarded_it_is_linuxs, setup, teardown),
        cmocka_unit_test_setup_teardown(the_base_stays, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
