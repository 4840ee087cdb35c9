/* SPDX-License-Identifier: MIT */
/* Which writes of Linux's make the machine sleep or start again, and what becomes of them: by ports and by registers in
 * memory, in any width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/acpi.h>
#include <arch/boot.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/time.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/arch/x86/attach/port.h"

#define CODE  0xffffffff81000400ul
#define WRITE (1ul << 32 | 2)
#define REGISTER(a, s, v)                                                                                              \
    (struct attach_register) { .address = a, .space = s, .value = v }
#define NONE REGISTER(0, ATTACH_NO_REGISTER, 0)

enum { IN = 1, STRING = 4, REP = 8 };
enum { PORTS = ATTACH_IN_PORTS, MEMORY = ATTACH_IN_MEMORY };

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ .eax = 48, .edx = 1u << 26 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr, time_hz;
struct cpu *host_this_cpu;
bool host_irq_on;
ticks_t host_now;
struct acpi_info machine = { .lapic = 0xfee00000 };

static struct linux_cpu l;
static struct attach_cpu page;
static struct vmcb vmcb;
static bool guarded;
static unsigned refused;
static u64 refused_at;
static void *allocated[2048];
static unsigned pages;
static u64 entry, *tables[4];
static u8 window[PAGE_SIZE], *text;
static u8 device[2 * PAGE_SIZE] __attribute__((aligned(4096)));
static char done[256]; /* in this order */
static jmp_buf ended;

void *page_alloc(void) { return memset(allocated[pages++] = aligned_alloc(PAGE_SIZE, PAGE_SIZE), 0, PAGE_SIZE); }
void page_clean(void *p) {}
void linux_trap_icr(bool on) {}
void linux_trap_ports(bool on) {}
/* A device's page is what it is when something is written to the window: the test looks there. */
void invlpg(const void *p) { memcpy(window, phys_to_virt(entry & PTE_ADDR), PAGE_SIZE); }
bool attach_guarded(void) { return guarded; }
void attach_refuse(struct linux_cpu *cpu, const char *what, u64 at)
{
    refused++;
    refused_at = at;
}

static void note(const char *what, u64 a, u64 b) { sprintf(done + strlen(done), "%s %llx=%llx;", what, a, b); }
void outb(u16 port, u8 v) { note("outb", port, v); }
void outw(u16 port, u16 v) { note("outw", port, v); }
void outl(u16 port, u32 v) { note("outl", port, v); }
u8 inb(u16 port) { return 0x11; }
u16 inw(u16 port) { return 0x2222; }
u32 inl(u16 port) { return 0x44444444; }
void attach_scrub(void) { note("scrub", 0, 0); }
ticks_t time_from_ns(u64 ns)
{
    host_now += ns; /* time goes by while somebody waits */
    return 0;
}
void board_reset(void)
{
    note("reset", 0, 0);
    longjmp(ended, 1);
}
void hal_halt(void)
{
    note("halt", 0, 0);
    longjmp(ended, 1);
}

/* As the emulator's, whose PM1b it has not; another FADT's; and one of a machine without ports. */
static struct attach_power facts = {
    .sleep = { REGISTER(0x605, PORTS, 0), REGISTER(0x705, PORTS, 7), REGISTER(0x605, PORTS, 0),
               REGISTER(0x805, PORTS, 7), NONE },
    .reset = REGISTER(0xb3, PORTS, 0xa5),
    .smi_command = 0xb2,
    .s4bios = 0xf0,
};

static int setup(void **state)
{
    memset(&page, 0, sizeof(page));
    memset(&vmcb, 0, sizeof(vmcb));
    memset(device, 0, sizeof(device));
    pages = refused = 0;
    guarded = true;
    done[0] = '\0';
    facts.sleep[4] = REGISTER((u64)device + 0x104, MEMORY, 5);
    if (attach_power_init(&facts) || linux_space_init())
        return 1;
    for (unsigned i = 0; i < 4; i++)
        tables[i] = page_alloc();
    text = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
    for (unsigned i = 0; i < 3; i++)
        tables[i][CODE >> (39 - 9 * i) & 511] = virt_to_phys(tables[i + 1]) | PTE_P | PTE_W;
    tables[3][CODE >> 12 & 511] = virt_to_phys(text) | PTE_P;
    l = (struct linux_cpu){ .page = &page, .vmcb = &vmcb, .window = window, .window_entry = &entry };
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

static enum attach_power_write out_is(u64 port, unsigned size, u64 value)
{
    return attach_power_write(PORTS, port, size, value);
}

static void sleep_is_known_in_every_width(void **state)
{
    static const u16 control[] = { 0x604, 0x704, 0x804 };
    for (unsigned i = 0; i < 3; i++) {
        u16 at = control[i];
        unsigned off = i ? 7 : 0;
        for (unsigned type = 0; type < 8; type++) {
            u64 byte = 0x20 | type << 2, is = type == off ? POWER_OFF : POWER_REFUSED;
            assert_int_equal(out_is(at, 2, byte << 8 | 1), is);
            assert_int_equal(out_is(at, 4, byte << 8), is);
            assert_int_equal(out_is(at + 1, 1, byte), is);
            assert_int_equal(out_is(at + 1, 2, byte), is);
            assert_int_equal(out_is(at - 1, 4, byte << 16), is);
            assert_int_equal(out_is(at - 2, 4, byte << 24), is);
            assert_int_equal(out_is(at, 2, (byte & ~0x20ul) << 8), POWER_NOTHING); /* the type alone */
        }
        assert_int_equal(out_is(at, 1, 0xff), POWER_NOTHING);
        assert_int_equal(out_is(at - 1, 2, 0xffff), POWER_NOTHING);
        assert_int_equal(out_is(at + 2, 4, ~0u), POWER_NOTHING);
    }
    assert_int_equal(attach_power_write(MEMORY, 0x604, 2, 0x2400), POWER_NOTHING);
}

/* AMD's chipsets show the ACPI registers in memory, too (AcpiMmio, its byte 0x804 is PM1a's control). */
static void sleep_by_the_chipsets_mirror_is_known(void **state)
{
    const u64 mirror = 0xfed80804;
    for (unsigned type = 0; type < 8; type++) {
        u64 byte = 0x20 | type << 2, is = type ? POWER_REFUSED : POWER_OFF; /* PM1a's type */
        assert_int_equal(attach_power_write(MEMORY, mirror, 2, byte << 8 | 1), is);
        assert_int_equal(attach_power_write(MEMORY, mirror, 4, byte << 8), is);
        assert_int_equal(attach_power_write(MEMORY, mirror - 4, 8, byte << 40), is);
        assert_int_equal(attach_power_write(MEMORY, mirror + 1, 1, byte), is);
    }
    assert_int_equal(attach_power_write(MEMORY, mirror, 1, 0xff), POWER_NOTHING);
    assert_int_equal(attach_power_write(MEMORY, mirror + 2, 4, ~0u), POWER_NOTHING);
    assert_true(attach_is_power_page(mirror));
    struct attach_power none = { .sleep = { NONE, NONE, NONE, NONE, NONE }, .reset = NONE };
    assert_int_equal(attach_power_init(&none), 0); /* which type is off is not known */
    for (u64 type = 0; type < 8; type++)
        assert_int_equal(attach_power_write(MEMORY, mirror + 1, 1, 0x20 | type << 2), POWER_REFUSED);
}

static void resets_are_known(void **state)
{
    static const struct {
        u16 port;
        u8 size;
        u32 value;
        enum attach_power_write is;
    } writes[] = {
        { 0xcf9, 1, 6, POWER_RESET },           { 0xcf9, 1, 0x0e, POWER_RESET },       { 0xcf9, 1, 2, POWER_NOTHING },
        { 0xcf9, 2, 4, POWER_RESET },           { 0xcf8, 2, 0x600, POWER_RESET },      { 0xcf8, 2, 6, POWER_NOTHING },
        { 0xcf8, 4, ~0u, POWER_NOTHING }, /* a PCI register's address */
        { 0xcf7, 4, 0x060000, POWER_RESET },    { 0xcf6, 4, 0x06000000, POWER_RESET }, { 0x92, 1, 1, POWER_RESET },
        { 0x92, 1, 2, POWER_NOTHING },          { 0x91, 2, 0x100, POWER_RESET },       { 0x64, 1, 0xfe, POWER_RESET },
        { 0x64, 1, 0xf0, POWER_RESET },         { 0x64, 1, 0xff, POWER_NOTHING },      { 0x64, 1, 0xd1, POWER_REFUSED },
        { 0x64, 1, 0xd4, POWER_NOTHING },       { 0x64, 1, 0x20, POWER_NOTHING },      { 0x63, 2, 0xfe00, POWER_RESET },
        { 0x60, 1, 0xfe, POWER_NOTHING },       { 0xb3, 1, 0xa5, POWER_RESET },        { 0xb3, 1, 0xa4, POWER_NOTHING },
        { 0xb2, 2, 0xa500, POWER_RESET },       { 0xb2, 1, 0xf0, POWER_REFUSED },      { 0xb2, 1, 0xf1, POWER_NOTHING },
        { 0xb2, 2, 0xa5f0, POWER_REFUSED }, /* both: the sleep counts */
        { 0xb0, 4, 0x00f00000, POWER_REFUSED },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(writes); i++)
        assert_int_equal(out_is(writes[i].port, writes[i].size, writes[i].value), writes[i].is);
}

static u16 trapped[16];
static unsigned n_trapped;
static void trap(u16 port) { trapped[n_trapped++] = port; }

static void only_the_ports_concerned_are_trapped(void **state)
{
    static const u16 ports[] = { 0x605, 0x705, 0x605, 0x805, 0xb3, 0xb2, 0x64, 0x92, 0xcf9 };
    n_trapped = 0;
    attach_power_ports(trap);
    assert_int_equal(n_trapped, ARRAY_SIZE(ports));
    assert_memory_equal(trapped, ports, sizeof(ports));
    assert_int_equal(attach_power_page(0), (u64)device);
    assert_int_equal(attach_power_page(1), 0xfed80000);
    assert_int_equal(attach_power_page(2), 0);
}

static void what_is_no_address_is_refused_at_load(void **state)
{
    struct attach_power bad = facts;
    bad.reset = REGISTER(0x10000, PORTS, 6);
    assert_int_equal(attach_power_init(&bad), -EINVAL);
    bad.reset = REGISTER(1ul << 48, MEMORY, 6);
    assert_int_equal(attach_power_init(&bad), -EINVAL);
    bad.reset = REGISTER(0x104, MEMORY, 6);
    assert_int_equal(attach_power_init(&bad), -EINVAL);
    bad.reset = REGISTER(6, 2, 6); /* PCI */
    assert_int_equal(attach_power_init(&bad), -EINVAL);
    bad.reset = NONE;
    bad.sleep[1] = REGISTER(0x12345, PORTS, 6);
    assert_int_equal(attach_power_init(&bad), -EINVAL);
}

/* Linux's IN or OUT exits. */
static bool io(u16 port, unsigned size, unsigned flags, u64 rax)
{
    vmcb.rip = CODE;
    vmcb.exit_info1 = (u64)port << 16 | size << 4 | flags;
    vmcb.exit_info2 = CODE + 2;
    vmcb.rax = rax;
    return attach_port(&l);
}
static bool ends(u16 port, unsigned size, u64 rax)
{
    if (setjmp(ended))
        return true;
    io(port, size, 0, rax);
    return false;
}

static void a_sleep_is_refused_and_others_pass(void **state)
{
    assert_false(io(0x604, 2, 0, 0x2401));
    assert_int_equal(vmcb.rip, CODE);
    assert_true(refused == 1 && refused_at == 0x604);
    assert_false(io(0x604, 2, STRING, 1));
    assert_false(io(0x604, 2, STRING | REP, 1));
    assert_false(io(0x604, 2, STRING | IN, 1));
    assert_int_equal(refused, 4);
    assert_string_equal(done, "");
    assert_true(io(0x604, 2, 0, 0xffff0001) && io(0x64, 1, 0, 0xaad4) && io(0xcf8, 4, 0, 0x80000604));
    assert_string_equal(done, "outw 604=1;outb 64=d4;outl cf8=80000604;");
    assert_int_equal(vmcb.rip, CODE + 2);
    assert_int_equal(vmcb.event_inject, 0);
    vmcb.rflags = 0x100; /* a debugger steps over it */
    assert_true(io(0x604, 2, 0, 1));
    assert_int_equal(vmcb.event_inject, 1 | EVENT_EXCEPTION | EVENT_VALID);
    guarded = false; /* the map has changed since */
    assert_true(io(0x604, 2, 0, 0x2401));
}

static void reading_is_as_ever(void **state)
{
    assert_true(io(0x64, 1, IN, 0xaaaaaaaaaaaaaaaa));
    assert_int_equal(vmcb.rax, 0xaaaaaaaaaaaaaa11);
    assert_true(io(0x604, 2, IN, 0xaaaaaaaaaaaaaaaa));
    assert_int_equal(vmcb.rax, 0xaaaaaaaaaaaa2222);
    assert_true(io(0x604, 4, IN, 0xaaaaaaaaaaaaaaaa));
    assert_int_equal(vmcb.rax, 0x44444444);
}

static void before_a_reset_comes_the_scrub(void **state)
{
    assert_true(ends(0xcf9, 1, 0x0e));
    assert_string_equal(done, "scrub 0=0;outb cf9=e;reset 0=0;"); /* ours, should Linux's not do it */
    done[0] = '\0';
    assert_true(ends(0x604, 2, 0x2001)); /* off: this board's PM1a, then all */
    assert_string_equal(done, "scrub 0=0;outw 604=2001;outb 605=20;outb 705=3c;halt 0=0;");
    assert_int_equal(refused, 0);
}

/* Linux stores by these bytes. */
static bool store(const void *code, unsigned n, u64 at)
{
    vmcb.rip = CODE;
    memcpy(text + (CODE & (PAGE_SIZE - 1)), code, n);
    return attach_power_store(&l, WRITE, at);
}

static void registers_in_memory_are_alike(void **state)
{
    u64 at = (u64)device + 0x104;
    assert_true(attach_is_power_page(at) && !attach_is_power_page(at + PAGE_SIZE));
    page.regs[RBX] = 0x1111110011112428;
    assert_false(store("\x88\x1f", 2, at));     /* mov %bl, (%rdi): SLP_EN and a type that is not off */
    assert_false(store("\x66\x89\x1f", 3, at)); /* 16 bits, */
    assert_false(store("\x89\x1f", 2, at));     /* 32, */
    assert_false(store("\x48\x89\x1f", 3, at)); /* 64 */
    page.regs[RBX] |= 0x2400000000;
    assert_false(store("\x48\x89\x1f", 3, at - 4)); /* 64 that begin before it */
    assert_false(store("\x88\x3f", 2, at));         /* mov %bh, (%rdi) */
    assert_false(store("\xc6\x07\x28", 3, at));     /* mov $0x28, (%rdi) */
    assert_false(store("\xaa", 1, at) || store("\x08\x1f", 2, at) || store("\x86\x1f", 2, at)); /* STOS, OR, XCHG */
    assert_true(store("\x88\x1f", 2, at + 1));                                                  /* the byte behind it */
    assert_int_equal(vmcb.rip, CODE + 2);
    assert_int_equal(window[0x105], 0x28);
    assert_true(store("\xc6\x07\x14", 3, at)); /* the type alone */
    assert_int_equal(window[0x104], 0x14);
    assert_int_equal(entry & (PTE_P | PTE_W | PTE_PCD), PTE_P | PTE_W | PTE_PCD);
    page.regs[RBX] = 0x8877665544332211;
    assert_true(store("\x48\x89\x1f", 3, at + 0x104));
    assert_memory_equal(window + 0x208, &page.regs[RBX], 8);
    assert_true(store("\x66\x89\x1f", 3, at + 0x200) && window[0x304] == 0x11 && window[0x305] == 0x22 &&
                !window[0x306]);
    assert_true(store("\x88\x3f", 2, at + 0x300) && window[0x404] == 0x22);
    assert_false(store("\x48\x89\x1f", 3, (u64)device + PAGE_SIZE - 4)); /* across the page's end, */
    assert_false(store("\x66\x89\x1f", 3, at + 1));                      /* or any other */
    vmcb.cpl = 3;
    assert_false(store("\xc6\x07\x14", 3, at));
    vmcb.cpl = 0;
    assert_false(attach_power_store(&l, 2, at)); /* a walk's write */
    if (!setjmp(ended))
        store("\xc6\x07\x34", 3, at); /* off */
    assert_string_equal(done, "scrub 0=0;outb 605=20;outb 705=3c;halt 0=0;");
    assert_int_equal(window[0x104], 0x34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sleep_is_known_in_every_width, setup, teardown),
        cmocka_unit_test_setup_teardown(sleep_by_the_chipsets_mirror_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(resets_are_known, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_ports_concerned_are_trapped, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_address_is_refused_at_load, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sleep_is_refused_and_others_pass, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_is_as_ever, setup, teardown),
        cmocka_unit_test_setup_teardown(before_a_reset_comes_the_scrub, setup, teardown),
        cmocka_unit_test_setup_teardown(registers_in_memory_are_alike, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
