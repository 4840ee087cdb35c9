/* SPDX-License-Identifier: MIT */
/* Attach: Linux's registers arrive in the control block and come back; its nested tables; the MSRs that exit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/acpi.h>
#include <arch/vcpu.h>
#include <core/frames.h>
#include <errors.h>

#include "../host/stage2_walk.h"
#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/arch/x86/attach/msr.h"

#define GIB_PAGES (1u << 26)
#define NX        (1u << 20)

#define MAX_PAGES 8500 /* a table for each 512 GiB of 52 bits, and some */

static void *allocated[MAX_PAGES];
static unsigned pages, page_limit, address_bits = 36, page_sizes = GIB_PAGES;
static u32 newer; /* what CPUID 0x80000021 has in EAX; 0: there is no such leaf */
static bool has_barrier;
static struct cpuid_regs encryption; /* CPUID 0x8000001f */
static struct cpuid_regs answer(u32 leaf, u32 sub)
{
    if (leaf == 0x80000000)
        return (struct cpuid_regs){ .eax = newer ? 0x80000021 : 0x80000020 };
    if (leaf == 0x8000001f)
        return encryption;
    if (leaf == 0x80000008)
        return (struct cpuid_regs){ .eax = address_bits, .ebx = has_barrier ? 1u << 12 : 0 };
    if (leaf == 0x80000021)
        return (struct cpuid_regs){ .eax = newer ? newer : ~0u };
    return (struct cpuid_regs){ .edx = page_sizes | NX };
}
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr;
struct cpu *host_this_cpu;
bool host_irq_on;
static bool attached, icr_trapped, ports_trapped;
struct acpi_info machine = { .lapic = 0xfee00000 };
static u32 tried;
static u64 written; /* by the last msr_try() that wrote */

void *page_alloc(void)
{
    if (pages == page_limit)
        return NULL;
    return memset(allocated[pages++] = aligned_alloc(PAGE_SIZE, PAGE_SIZE), 0, PAGE_SIZE);
}
void page_clean(void *page) {}
void board_linux_attached(void) { attached = true; }
bool msr_try(u32 msr, u64 *value, bool write)
{
    tried = msr;
    if (write)
        written = *value;
    else
        *value = 0x1122334455667788;
    return msr != 0xc0002fff;
}

void linux_trap_icr(bool on) { icr_trapped = on; }
void linux_trap_ports(bool on) { ports_trapped = on; }
/* Two on a piece, one beside the local APIC. */
static const paddr_t power_pages[] = { 0xfed80000, 0xfed81000, 0xfee00000 - PAGE_SIZE, 0xfef05000, 0 };
paddr_t attach_power_page(unsigned n) { return power_pages[n]; }
static bool base_kept = true;
bool attach_apic_base(u64 value) { return base_kept; }
static u64 commanded;
bool attach_apic_command(struct linux_cpu *cpu, u64 value)
{
    commanded = value;
    return value != 0xdead;
}
static bool guarded;
bool attach_guarded(void) { return guarded; }
static unsigned refused;
void attach_refuse(struct linux_cpu *cpu, const char *what, u64 at) { refused++; }

static struct linux_cpu l;
static struct attach_cpu page;
static struct vmcb vmcb;

static int setup(void **state)
{
    memset(&l, 0, sizeof(l));
    memset(&page, 0, sizeof(page));
    memset(&vmcb, 0, sizeof(vmcb));
    l.page = &page;
    l.vmcb = &vmcb;
    l.resume = 0xffffffffc0001234;
    host_this_cpu = &l.own;
    pages = 0;
    page_limit = MAX_PAGES;
    written_pat = tried = 0;
    attached = false;
    return linux_space_init();
}

static int teardown(void **state)
{
    while (pages)
        free(allocated[--pages]);
    return 0;
}

static void state_arrives(void **state)
{
    page.cs = (struct attach_segment){ 0x10, 0x00af9b00 };
    page.ds = (struct attach_segment){ 0, 0 };
    page.gdtr.limit = 127;
    page.gdtr.base = 0xfffffe0000001000;
    page.cr0 = 1, page.cr2 = 2, page.cr3 = 3, page.cr4 = 4, page.dr6 = 6, page.dr7 = 7, page.pat = 0x0407050600070106;
    page.efer = 0xd01;
    page.rsp = 0xffffc90000123000;
    vmcb.intercept1 = INT1_HLT | INT1_SHUTDOWN;
    linux_space_version = 7;
    attach_begin(&page);
    assert_int_equal(vmcb.cs.attributes, 0xa9b); /* G, L, present code */
    assert_int_equal(vmcb.cs.limit, ~0u);
    assert_int_equal(vmcb.ds.attributes, 0);
    assert_int_equal(vmcb.gdtr.limit, 127);
    assert_int_equal(vmcb.gdtr.base, 0xfffffe0000001000);
    assert_int_equal(vmcb.efer, 0xd01 | EFER_SVME);
    assert_true(vmcb.cr0 == 1 && vmcb.cr2 == 2 && vmcb.cr3 == 3 && vmcb.cr4 == 4 && vmcb.dr6 == 6 && vmcb.dr7 == 7);
    assert_int_equal(vmcb.pat, page.pat);
    assert_int_equal(vmcb.rip, l.resume);
    assert_int_equal(vmcb.rsp, page.rsp);
    assert_false(vmcb.rflags & RFLAGS_IF);
    assert_int_equal(vmcb.intercept1, INT1_SHUTDOWN); /* one that was given halts as it likes again */
    assert_int_equal(vmcb.tlb_control, TLB_FLUSH_ALL);
    assert_int_equal(l.flushed, 7);
    assert_int_equal(l.state, ATTACH_CPU_LINUX);
    assert_true(attached);
}

static void an_init_cannot_free_it(void **state)
{
    written_vm_cr = 8;
    attach_begin(&page);
    assert_int_equal(written_vm_cr, 8 | VM_CR_R_INIT);
    attach_end(&l);
    assert_int_equal(written_vm_cr, 8);
}

static void state_comes_back_as_linux_left_it(void **state)
{
    page.pat = 0x0407050600070106;
    page.efer = 0xd01;
    attach_begin(&page);
    vmcb.cr4 = 0x3506e0;
    vmcb.cr3 = 0x1000;
    vmcb.rip = 0xffffffffc0001240;
    vmcb.rflags = 0x46;
    vmcb.rax = 99;
    vmcb.ss.selector = 0x18;
    vmcb.idtr.limit = 0xfff;
    attach_end(&l);
    assert_int_equal(page.cr4, 0x3506e0); /* changes of while it was a guest, too */
    assert_int_equal(page.cr3, 0x1000);
    assert_int_equal(page.rip, 0xffffffffc0001240);
    assert_int_equal(page.rflags, 0x46);
    assert_int_equal(page.regs[RAX], 99);
    assert_int_equal(page.ss.selector, 0x18);
    assert_int_equal(page.idtr.limit, 0xfff);
    assert_int_equal(page.efer, 0xd01); /* without SVME */
    assert_int_equal(written_pat, 0);
    vmcb.pat = 0x0007040600070406;
    attach_end(&l);
    assert_int_equal(written_pat, 0x0007040600070406);
}

static paddr_t at(paddr_t pa, unsigned *prot) { return stage2_walk(&linux_space, pa, prot); }

static void everything_is_where_it_is(void **state)
{
    unsigned prot;
    assert_int_equal(at(0xfee00000, &prot), 0xfee00000);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
    assert_int_equal(at((1ul << 36) - 1, NULL), (1ul << 36) - 1);
    assert_int_equal(at(1ul << 36, NULL), (paddr_t)-1);
}

/* What it takes of the heap besides: the page of ones and its table, the large pages with guarded registers. */
#define SPLIT 16

static void the_module_knows_how_many_tables_linux_needs(void **state)
{
    for (unsigned bits = 36; bits <= 52; bits++)
        for (unsigned gib = 0; gib <= 1; gib++) {
            teardown(state);
            address_bits = bits;
            page_sizes = gib ? GIB_PAGES : 0;
            host_cr4 = bits > 48 ? CR4_LA57 : 0;
            if (!gib && bits > 42) /* 4,096 tables and more, of the same kind */
                continue;
            assert_int_equal(setup(state), 0);
            assert_true(attach_map_pages(bits, (int)gib) <= pages && pages <= attach_map_pages(bits, (int)gib) + SPLIT);
        }
    address_bits = 36;
    page_sizes = GIB_PAGES;
    host_cr4 = 0;
}

/* Where the firmware has switched memory encryption on, an address bit means "encrypted": with that bit, memory has a
 * second address (APM vol. 2, 7.10). */
static void encrypted_memory_has_no_second_address(void **state)
{
    encryption = (struct cpuid_regs){ .eax = 3, .ebx = 3u << 6 | 33 }; /* bit 33; addresses have 3 bits less */
    assert_int_equal(physical_limit(), 1ul << 36);                     /* not switched on: bit 33 is an address bit */
    host_syscfg = 1ul << 23;
    teardown(state);
    assert_int_equal(setup(state), 0);
    assert_int_equal(physical_limit(), 1ul << 33);
    assert_int_equal(linux_hide(0x40400000, 2 * MIB), 0);
    assert_int_equal(at((1ul << 33) - 1, NULL), (1ul << 33) - 1);
    for (unsigned bit = 33; bit < 48; bit++)
        assert_int_equal(at(1ul << bit | 0x40400000, NULL), (paddr_t)-1);
    encryption.ebx = 3u << 6 | 35;
    assert_int_equal(physical_limit(), 1ul << 33);
    host_syscfg = 0;
    encryption = (struct cpuid_regs){ 0 };
}

static void memory_with_owners_is_known(void **state)
{
    encryption.eax = 1;
    host_syscfg = 1ul << 23;
    assert_false(memory_has_owners());
    host_syscfg |= 1ul << 24;
    assert_true(memory_has_owners());
    encryption.eax = 0; /* another maker's register */
    assert_false(memory_has_owners());
    host_syscfg = 0;
}

static void what_is_hidden_reads_as_ones_and_no_more(void **state)
{
    unsigned prot;
    u64 version = linux_space_version;
    assert_int_equal(linux_hide(0x40400000, 4 * MIB), 0);
    assert_true(linux_space_version > version);
    for (paddr_t pa = 0x40400000; pa < 0x40800000; pa += 0x1ff000) {
        const u8 *ones = phys_to_virt(ALIGN_DOWN(at(pa, &prot), PAGE_SIZE));
        assert_int_equal(prot, 0);
        assert_true(ones[0] == 0xff && ones[PAGE_SIZE - 1] == 0xff);
    }
    assert_int_equal(at(0x403fffff, &prot), 0x403fffff);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
    assert_int_equal(at(0x40800000, NULL), 0x40800000);
    assert_true(linux_sees(0x403fffff) && linux_sees(0x40800000) && linux_sees(0));
    assert_false(linux_sees(0x40400000) || linux_sees(0x407fffff) || linux_sees(1ul << 36) || linux_sees(1ul << 50));
    linux_show(0x40400000, 2 * MIB);
    assert_true(linux_sees(0x40400000));
    assert_false(linux_sees(0x40600000));
    assert_int_equal(at(0x40400123, &prot), 0x40400123);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
    assert_int_not_equal(at(0x40600123, NULL), 0x40600123);
}

static void hiding_needs_its_tables_first(void **state)
{
    page_limit = pages + 1; /* two GiB must be cut up, one can */
    u64 version = linux_space_version;
    assert_int_equal(linux_hide(2 * GIB - 2 * MIB, 4 * MIB), -ENOMEM);
    assert_int_equal(at(2 * GIB - 1, NULL), 2 * GIB - 1);
    assert_int_equal(linux_space_version, version);
}

static void what_is_guarded_is_not_hidden(void **state)
{
    u64 version = linux_space_version;
    assert_int_equal(linux_hide(0xfee00000, 2 * MIB), -EINVAL);
    assert_int_equal(linux_hide(0xfe000000, 14 * MIB), -EINVAL); /* its last piece has registers of sleep and reset */
    assert_int_equal(linux_hide(0xfe000000, 12 * MIB), 0);
    assert_int_equal(linux_space_version, version + 1);
}

static void interrupts_are_guarded_while_something_is_given(void **state)
{
    unsigned prot;
    u64 version = linux_space_version;
    linux_guard(true);
    assert_true(icr_trapped && linux_space_version > version);
    for (paddr_t pa = 0xfee00000; pa < 0xfef00000; pa += PAGE_SIZE) {
        assert_int_equal(at(pa, &prot), pa); /* read as ever */
        assert_int_equal(prot, 0);
    }
    assert_int_equal(at(0xfef00000, &prot), 0xfef00000);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
    assert_int_equal(at(0xfedfe000, &prot), 0xfedfe000);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
    for (unsigned i = 0; power_pages[i]; i++) { /* registers that end the machine */
        assert_int_equal(at(power_pages[i], &prot), power_pages[i]);
        assert_int_equal(prot, 0);
        assert_false(linux_sees(power_pages[i]));
    }
    assert_true(ports_trapped && linux_sees(0xfed82000) && !linux_sees(0xfee00000));
    linux_guard(false);
    assert_false(icr_trapped || ports_trapped);
    assert_int_equal(at(0xfed80000, &prot), 0xfed80000);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
    assert_int_equal(at(0xfee00300, &prot), 0xfee00300);
    assert_int_equal(prot, S2_WRITE | S2_EXEC);
}

static void exits_begin_with_a_barrier_while_something_is_given(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        has_barrier = i;
        linux_guard(true);
        assert_int_equal(linux_barrier, has_barrier);
        linux_guard(false);
        assert_false(linux_barrier);
    }
}

static u64 value(void) { return (u32)vmcb.rax | page.regs[RDX] << 32; }
static bool access(u32 msr, bool write, u64 v)
{
    page.regs[RCX] = msr;
    page.regs[RDX] = v >> 32;
    vmcb.rax = (u32)v;
    return attach_msr(&l, write);
}

static void amdv_is_taken(void **state)
{
    vmcb.efer = 0xd01 | EFER_SVME;
    assert_true(access(MSR_EFER, false, 0));
    assert_int_equal(value(), 0xd01 | EFER_SVME); /* a KVM that was loaded before us looks here */
    assert_true(access(MSR_EFER, true, 0xd00));
    assert_int_equal(vmcb.efer, 0xd00 | EFER_SVME);
    assert_false(access(MSR_EFER, true, 0x901)); /* out of long mode */
    assert_false(access(MSR_EFER, true, 1ul << 40 | 0xd01));
    assert_false(access(MSR_EFER, true, 1ul << 14 | 0xd01)); /* FFXSR and TCE, which it lacks: VMRUN would refuse it */
    assert_false(access(MSR_EFER, true, 1ul << 15 | 0xd01));
    assert_int_equal(vmcb.efer, 0xd00 | EFER_SVME);
    assert_false(access(MSR_VM_CR, true, 0));
    assert_true(access(MSR_VM_HSAVE_PA, true, 0));
    assert_false(access(MSR_VM_HSAVE_PA, true, 0x1000));
    assert_true(access(MSR_VM_HSAVE_PA, false, 5));
    assert_int_equal(value(), 0);
}

static void what_the_firmware_says_of_amdv_stays_true(void **state)
{
    for (u64 firmware = 0; firmware <= 0x18; firmware += 8) { /* LOCK, SVMDIS */
        written_vm_cr = firmware;
        attach_begin(&page); /* adds R_INIT */
        assert_int_not_equal(written_vm_cr, firmware);
        assert_true(access(MSR_VM_CR, false, 0));
        assert_int_equal(value(), firmware);
    }
    written_vm_cr = 0;
}

static void a_started_cpu_finds_its_way_to_long_mode(void **state)
{
    vmcb.efer = EFER_SVME;
    vmcb.cr0 = 0x11;
    assert_true(access(MSR_EFER, true, 0xd01 & ~EFER_LMA));
    assert_int_equal(vmcb.efer, (0xd01 & ~EFER_LMA) | EFER_SVME);
    assert_false(access(MSR_EFER, true, 0xd01)); /* LMA is the processor's */
    vmcb.cr0 |= CR0_PG;
    vmcb.efer |= EFER_LMA;
    assert_false(access(MSR_EFER, true, 0xc01));
}

static void a_newer_processors_efer_is_linuxs(void **state)
{
    static const u64 uaie = 1ul << 20, autoibrs = 1ul << 21;
    static const struct {
        u32 cpuid;
        u64 may;
    } has[] = { { 0, 0 }, { 1u << 7, uaie }, { 1u << 8, autoibrs }, { 3u << 7, uaie | autoibrs }, { ~(3u << 7), 0 } };
    for (unsigned i = 0; i < ARRAY_SIZE(has); i++) {
        newer = has[i].cpuid;
        for (u64 bits = 0; bits <= 7; bits++) { /* in 32-bit start-up code, before paging */
            u64 wanted = bits << 20;
            vmcb.cr0 = 0x11;
            vmcb.efer = EFER_SVME;
            assert_int_equal(access(MSR_EFER, true, 0x901 | wanted), !(wanted & ~has[i].may));
            assert_int_equal(vmcb.efer, wanted & ~has[i].may ? EFER_SVME : 0x901 | wanted | EFER_SVME);
        }
    }
    newer = 0;
}

static void interrupt_commands_are_looked_at(void **state)
{
    refused = 0;
    assert_true(access(MSR_X2APIC_ICR, true, 3ul << 32 | 0x4500));
    assert_int_equal(commanded, 3ul << 32 | 0x4500);
    assert_int_equal(refused, 0);
    assert_false(access(MSR_X2APIC_ICR, true, 0xdead));
    assert_int_equal(refused, 1);
    assert_true(access(MSR_APIC_BASE, true, 0xfee00900));
    base_kept = false;
    assert_false(access(MSR_APIC_BASE, true, 0xfee00100));
    base_kept = true;
    assert_int_equal(refused, 2);
}

static u32 trapped[32];
static unsigned n_trapped;
static void trap(u32 msr) { trapped[n_trapped++] = msr; }

static void where_memory_is_stays_while_something_is_given(void **state)
{
    n_trapped = refused = 0;
    attach_msr_seal(trap);
    assert_true(n_trapped > 5);
    for (unsigned i = 0; i < n_trapped; i++) {
        guarded = false;
        tried = 0;
        assert_true(access(trapped[i], true, 5));
        assert_int_equal(tried, trapped[i]);
        guarded = true;
        assert_false(access(trapped[i], true, 5));
        assert_true(access(trapped[i], true, 0x1122334455667788)); /* as it is */
        assert_int_equal(refused, i + 1);
    }
    guarded = false;
}

static bool is_trapped(u32 msr)
{
    for (unsigned i = 0; i < n_trapped; i++)
        if (trapped[i] == msr)
            return true;
    return false;
}

/* Not those for memory, SMM and the TSC's rate, nor unknown ones. A program sets bit 35 by arch_prctl(ARCH_CPUID). */
static bool is_linuxs_in_hwcr(unsigned bit)
{
    static const u8 bits[] = { 8, 9, 10, 17, 18, 20, 25, 26, 27, 30, 35 };
    for (unsigned i = 0; i < ARRAY_SIZE(bits); i++)
        if (bits[i] == bit)
            return true;
    return false;
}

static void linux_may_write_bits_of_hwcr_for_instructions(void **state)
{
    static const u32 others[] = { 0xc0010010, 0xc0010022, 0xc0010058, 0xc0010113, 0xc0010116 };
    const u32 hwcr = 0xc0010015;
    const u64 is = 0x1122334455667788;
    n_trapped = 0;
    attach_msr_seal(trap);
    assert_true(is_trapped(hwcr));
    guarded = true;
    for (unsigned bit = 0; bit < 64; bit++) {
        u64 wanted = is ^ 1ul << bit;
        bool may = is_linuxs_in_hwcr(bit);
        written = 0;
        assert_int_equal(access(hwcr, true, wanted), may);
        assert_int_equal(written, may ? wanted : 0);
        for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
            assert_true(is_trapped(others[i]));
            assert_false(access(others[i], true, wanted));
        }
    }
    guarded = false;
}

static void other_msrs_are_tried(void **state)
{
    assert_true(access(0xc0002001, false, 0));
    assert_int_equal(tried, 0xc0002001);
    assert_int_equal(value(), 0x1122334455667788);
    assert_false(access(0xc0002fff, false, 0));
    tried = 0;
    assert_false(access(0xc0000103, true, 1)); /* covered by the map: that it exited is not Linux's doing */
    assert_int_equal(tried, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(state_arrives, setup, teardown),
        cmocka_unit_test_setup_teardown(an_init_cannot_free_it, setup, teardown),
        cmocka_unit_test_setup_teardown(state_comes_back_as_linux_left_it, setup, teardown),
        cmocka_unit_test_setup_teardown(everything_is_where_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(the_module_knows_how_many_tables_linux_needs, setup, teardown),
        cmocka_unit_test_setup_teardown(encrypted_memory_has_no_second_address, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_with_owners_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_hidden_reads_as_ones_and_no_more, setup, teardown),
        cmocka_unit_test_setup_teardown(hiding_needs_its_tables_first, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_guarded_is_not_hidden, setup, teardown),
        cmocka_unit_test_setup_teardown(interrupts_are_guarded_while_something_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(exits_begin_with_a_barrier_while_something_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(a_started_cpu_finds_its_way_to_long_mode, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_processors_efer_is_linuxs, setup, teardown),
        cmocka_unit_test_setup_teardown(interrupt_commands_are_looked_at, setup, teardown),
        cmocka_unit_test_setup_teardown(linux_may_write_bits_of_hwcr_for_instructions, setup, teardown),
        cmocka_unit_test_setup_teardown(where_memory_is_stays_while_something_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(amdv_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(what_the_firmware_says_of_amdv_stays_true, setup, teardown),
        cmocka_unit_test_setup_teardown(other_msrs_are_tried, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
