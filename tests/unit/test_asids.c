/* SPDX-License-Identifier: MIT */
/* How a core assigns address-space identifiers (amdv/vcpu.c), on a processor that remembers which identifier has
 * translations of which guest: what a flush has forgotten is never found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <arch/cpu.h>
#include <arch/features.h>
#include <core/cpu.h>

#include "arch/x86/amdv/debug.h"
#include "arch/x86/amdv/event.h"
#include "arch/x86/amdv/exit.h"

#define ASIDS  16
#define GUESTS 3

static struct cpu core;
struct cpu *host_this_cpu = &core, *cpus[MAX_CPUS] = { &core };
u64 host_cr4;
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
const bool amdv_checked;

static struct vmcb vmcb[GUESTS];
static struct hal_vcpu guest[GUESTS];
static unsigned tables[GUESTS]; /* the version of a guest's tables: a flush follows each change */

/* What the processor has cached: by identifier the guest, and the version of its tables. */
static struct {
    const struct hal_vcpu *of;
    unsigned version;
} tlb[ASIDS];
static unsigned out_of_date; /* entries with translations of other tables than the guest's */

void amdv_enter(struct hal_vcpu *v, paddr_t host_vmcb)
{
    unsigned version = tables[v - guest];
    u32 asid = v->vmcb->asid;
    assert_in_range(asid, 1, ASIDS - 1);
    if (v->vmcb->tlb_control == TLB_FLUSH_ALL)
        memset(tlb, 0, sizeof(tlb));
    out_of_date += tlb[asid].of && (tlb[asid].of != v || tlb[asid].version != version);
    tlb[asid].of = v;
    tlb[asid].version = version;
}

void amdv_enter_shadowed(struct hal_vcpu *v, paddr_t host_vmcb) {}
const char *amdv_check_entry(const struct hal_vcpu *v) { return NULL; }
void amdv_decode(struct hal_vcpu *v, struct vmcb *b, struct vcpu_exit *e) {}
void amdv_decode_fault(struct vcpu_exit *e, const char *why) {}
void amdv_reinject(struct hal_vcpu *v) {}
void vcpu_skip(struct hal_vcpu *v, unsigned length) {}
void vcpu_traced(struct hal_vcpu *v) {}
void amdv_take_debug(struct hal_vcpu *v) {}
void amdv_forget_debug(struct hal_vcpu *v) {}
void page_clean(void *page) {}

static void run(unsigned n)
{
    struct vcpu_exit e = { 0 };
    vcpu_run(&guest[n], &e);
}

static void change(unsigned n)
{
    tables[n]++;
    vcpu_flush(&guest[n]);
}

/* A core on which all guests have run, some generations before number `generation`. */
static void begin(u64 generation)
{
    memset(tlb, 0, sizeof(tlb));
    out_of_date = 0;
    core.arch.amdv = (struct amdv_core){ 0 };
    for (unsigned i = 0; i < GUESTS; i++) {
        vmcb[i] = (struct vmcb){ 0 };
        guest[i] = (struct hal_vcpu){ .vmcb = &vmcb[i] };
        vcpu_flush(&guest[i]);
        run(i);
    }
    core.arch.amdv.generation = generation;
}

static void each_flush_is_heard(unsigned changes)
{
    for (unsigned i = 0; i < changes; i++) {
        change(i % GUESTS);
        run(i % GUESTS);
        run((i + 1) % GUESTS);
    }
    assert_int_equal(out_of_date, 0);
}

static void a_flushed_guest_finds_nothing_of_before(void **state)
{
    begin(1);
    each_flush_is_heard(10 * ASIDS);
}

static void a_flush_is_heard_in_every_generation(void **state)
{
    begin(0xfffffffeu);
    each_flush_is_heard(10 * ASIDS);
}

/* Guest 2 ran last in a generation whose number comes again if numbers come round, with an identifier that another one
 * then has. */
static void a_guest_that_slept_for_very_long_finds_nothing_of_others(void **state)
{
    for (unsigned changes = 1; changes < 4 * ASIDS; changes++) {
        begin(1);
        core.arch.amdv.generation = 0xfffffffeu;
        core.arch.amdv.next = ASIDS;
        vcpu_flush(&guest[0]);
        vcpu_flush(&guest[1]);
        each_flush_is_heard(0);
        for (unsigned i = 0; i < changes; i++) {
            change(i % 2);
            run(i % 2);
        }
        run(2);
        assert_int_equal(out_of_date, 0);
    }
}

static bool rdtscp, rdpid;

static struct cpuid_regs answer(u32 leaf, u32 sub)
{
    return (struct cpuid_regs){
        .eax = 7,
        .ecx = leaf == 7 && rdpid ? X86_FEATURE_RDPID : 0,
        .edx = leaf == 0x80000001 && rdtscp ? X86_FEATURE_RDTSCP : 0,
    };
}

static void tsc_aux_is_written_where_an_instruction_reads_it(void **state)
{
    host_cpuid = answer;
    for (unsigned has = 0; has < 4; has++) {
        begin(1);
        rdtscp = has & 1;
        rdpid = has & 2;
        vcpu_set_tsc_aux(&guest[0], 5);
        run(0);
        assert_int_equal(core.arch.amdv.tsc_aux, has ? 5 : 0);
    }
}

int main(void)
{
    amdv_asids = ASIDS;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flushed_guest_finds_nothing_of_before),
        cmocka_unit_test(a_flush_is_heard_in_every_generation),
        cmocka_unit_test(a_guest_that_slept_for_very_long_finds_nothing_of_others),
        cmocka_unit_test(tsc_aux_is_written_where_an_instruction_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
