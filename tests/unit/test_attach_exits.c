/* SPDX-License-Identifier: MIT */
/* What of Linux's instructions leaves the guest, by its control block, and what comes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/context.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/arch/x86/attach/apic.h"
#include "../../kernel/arch/x86/attach/msr.h"

static u32 amdv; /* CPUID 0x8000000a, EDX */
static struct cpuid_regs answer(u32 leaf, u32 sub)
{
    return leaf == 0x8000000a ? (struct cpuid_regs){ .edx = amdv } : (struct cpuid_regs){ 0 };
}
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr;
struct cpu *host_this_cpu;
bool host_irq_on;
struct acpi_info machine;
struct stage2 linux_space;
bool linux_barrier;
struct linux_cpu *linux_cpus[ATTACH_MAX_CPUS];
unsigned n_linux_cpus;
void linux_retire(struct vmcb *b, u64 rip) { vmcb_retire(b, rip); }
static void *allocated[16];
static unsigned n_allocated, written_back;
static u64 bytes_allocated;

static void *pages(u64 n)
{
    bytes_allocated += n * PAGE_SIZE;
    return memset(allocated[n_allocated++] = aligned_alloc(PAGE_SIZE, n * PAGE_SIZE), 0, n * PAGE_SIZE);
}
void *page_alloc(void) { return pages(1); }
paddr_t frames_alloc(u64 n, u64 align) { return virt_to_phys(pages(n)); }
void *hal_stack_alloc(void) { return pages(HAL_STACK_SIZE / PAGE_SIZE); }
void *hal_map_device(paddr_t pa, size_t size) { return pages(1); }
u64 *paging_entry(const void *page) { return NULL; }
u64 paging_root(void) { return 0; }
void traps_prepare(struct cpu *c)
{
    for (unsigned i = 0; i < 3; i++) /* as 64/descriptors.c does */
        c->arch.tss.ist[i] = (u64)pages(1);
}
void idt_where(u64 *base, u16 *limit) {}
void attach_msr_seal(void (*trap)(u32 msr)) {}
void wbinvd(void) { written_back++; }

/* Where other exits lead. */
const char attach_cpu_entry[1];
void panic(const char *format, ...) { abort(); }
static jmp_buf gone;
static unsigned scrubs, resets, taken, ports;
void attach_scrub(void) { scrubs++; }
void board_reset(void)
{
    resets++;
    longjmp(gone, 1);
}
void core_take(struct linux_cpu *which)
{
    taken++;
    longjmp(gone, 1);
}
static bool port_done = true;
bool attach_port(struct linux_cpu *which)
{
    ports++;
    return port_done;
}
bool attach_is_power_page(paddr_t at) { return false; }
bool attach_power_store(struct linux_cpu *which, u64 flags, paddr_t at) { return false; }
void attach_power_ports(void (*trap)(u16 port)) {}
static unsigned lines;
void printk(const char *format, ...) { lines++; }
static bool dead;
bool cores_dead(void) { return dead; }
static u32 svr;
u32 apic_read(enum apic_reg reg) { return svr; }
bool attach_apic_store(struct linux_cpu *which, u64 flags, paddr_t at) { return false; }
bool attach_msr(struct linux_cpu *which, bool write) { return false; }
bool attach_guarded(void) { return true; }
s64 attach_call(struct linux_cpu *which, u64 number, u64 a, u64 b, bool *leave) { return 0; }
void attach_end(struct linux_cpu *which) {}

static struct linux_cpu *l;

static void create(u32 features)
{
    static struct attach_boot boot;
    amdv = features;
    n_linux_cpus = 0;
    assert_int_equal(linux_cpu_create(0, &boot), 0);
    l = linux_cpus[0];
    l->vmcb->efer = EFER_LMA;
    l->vmcb->cs.attributes = SEGMENT_LONG;
    host_this_cpu = &l->own;
}

static int teardown(void **state)
{
    while (n_allocated)
        free(allocated[--n_allocated]);
    return 0;
}

static void exits(u64 code, u64 info)
{
    l->vmcb->exit_code = code;
    l->vmcb->exit_info1 = info;
    if (!setjmp(gone))
        assert_false(attach_exit());
}

/* 8 bits of port 0x1234. */
#define PORT(in) (0x1234u << 16 | 1 << 4 | (in))

static void the_last_read_of_an_idle_port_makes_a_core(void **state)
{
    create(0);
    assert_true(l->vmcb->intercept1 & INT1_IOIO);
    taken = ports = 0;
    svr = 0x1ff; /* the local APIC is on: it idles */
    l->state = ATTACH_CPU_DYING;
    exits(VMEXIT_IOIO, PORT(1));
    assert_true(ports == 1 && !taken);
    svr = 0xff;
    exits(VMEXIT_IOIO, PORT(0));
    assert_true(ports == 2 && !taken);
    exits(VMEXIT_IOIO, PORT(1));
    assert_true(ports == 2 && taken == 1); /* and is not done */
    l->state = ATTACH_CPU_LINUX;
    exits(VMEXIT_IOIO, PORT(1));
    assert_true(ports == 3 && taken == 1);
    assert_int_equal(l->vmcb->event_inject, 0);
    port_done = false;
    exits(VMEXIT_IOIO, PORT(0));
    assert_int_equal(l->vmcb->event_inject & 0xff, VEC_GP);
    port_done = true;
}

/* A page that lacks is a panic, with Linux' interrupts off. */
static void the_module_knows_what_a_cpu_needs(void **state)
{
    bytes_allocated = 0;
    create(0);
    assert_true(bytes_allocated <= LINUX_CPU_MEMORY && bytes_allocated + PAGE_SIZE >= LINUX_CPU_MEMORY);
}

static void a_triple_fault_is_scrubbed(void **state)
{
    create(0);
    scrubs = resets = 0;
    exits(VMEXIT_SHUTDOWN, 0);
    assert_true(scrubs == 1 && resets == 1);
    exits(VMEXIT_INVALID_32, 0);
    assert_true(scrubs == 2 && resets == 2);
}

static void invd_loses_nothing(void **state)
{
    create(0);
    assert_true(l->vmcb->intercept1 & INT1_INVD);
    written_back = 0;
    l->vmcb->exit_code = VMEXIT_INVD;
    l->vmcb->rip = 0xffffffff81000000;
    l->vmcb->shadow = 1;
    assert_false(attach_exit());
    assert_int_equal(written_back, 1);
    assert_int_equal(l->vmcb->rip, 0xffffffff81000002);
    assert_int_equal(l->vmcb->shadow, 0);
    assert_int_equal(l->vmcb->event_inject, 0);
}

/* Linux's debugger sees the instruction behind each that exits (APM vol. 2, 13.1.4). */
static void what_is_stepped_over_traps_if_linux_traces(void **state)
{
    static const struct {
        u64 code;
        unsigned length;
    } rows[] = {
        { VMEXIT_VMMCALL, 3 }, { VMEXIT_HLT, 1 }, { VMEXIT_MWAIT, 3 }, { VMEXIT_INVD, 2 }, { VMEXIT_STGI, 3 }
    };
    create(0);
    svr = 0x1ff;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct vmcb *b = l->vmcb;
        b->rip = 0xffffffff81000000;
        b->rflags = 2 | 1 << 8 | 1 << 16;
        b->dr6 = 0;
        exits(rows[i].code, 0);
        assert_int_equal(b->rip, 0xffffffff81000000 + rows[i].length);
        assert_true(b->event_inject == event_exception(VEC_DB, false, 0));
        assert_int_equal(b->dr6, 1 << 14);
        assert_int_equal(b->rflags, 2 | 1 << 8);
    }
}

static void no_branch_that_linux_trained_is_guessed(void **state)
{
    create(0);
    written_barriers = 0;
    exits(VMEXIT_STGI, 0);
    assert_int_equal(written_barriers, 0);
    linux_barrier = true;
    exits(VMEXIT_STGI, 0);
    exits(VMEXIT_IOIO, PORT(0));
    assert_int_equal(written_barriers, 2);
    linux_barrier = false;
}

static void a_linux_that_broadcasts_its_flushes_may(void **state)
{
    create(0);
    assert_int_equal(l->vmcb->np_enable, 1); /* the bit is reserved there */
    teardown(state);
    create(1u << 24);
    assert_int_equal(l->vmcb->np_enable, 1 | 1u << 7);
    teardown(state);
    create(~(1u << 24));
    assert_int_equal(l->vmcb->np_enable, 1);
}

/* A core that has stopped for it may hold the console's lock. */
static void a_linux_above_a_dead_kernel_writes_no_line(void **state)
{
    create(0);
    attach_refused.count = 0;
    lines = 0;
    attach_refuse(l, "write", 0x1000);
    assert_int_equal(lines, 1);
    dead = true;
    attach_refuse(l, "write", 0x1000);
    dead = false;
    assert_int_equal(lines, 1);
    assert_int_equal(attach_refused.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(invd_loses_nothing, teardown),
        cmocka_unit_test_teardown(what_is_stepped_over_traps_if_linux_traces, teardown),
        cmocka_unit_test_teardown(the_last_read_of_an_idle_port_makes_a_core, teardown),
        cmocka_unit_test_teardown(the_module_knows_what_a_cpu_needs, teardown),
        cmocka_unit_test_teardown(a_triple_fault_is_scrubbed, teardown),
        cmocka_unit_test_teardown(no_branch_that_linux_trained_is_guessed, teardown),
        cmocka_unit_test_teardown(a_linux_that_broadcasts_its_flushes_may, teardown),
        cmocka_unit_test_teardown(a_linux_above_a_dead_kernel_writes_no_line, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
