/* SPDX-License-Identifier: MIT */
/*
 * core_reset.c - takes from a CPU that becomes a core what Linux' root may have set there and what would last: memory
 * types, the rate of guests' time stamp counters, counters that count what a domain does, interrupt sources of the
 * local APIC, a class of service in the caches.
 *
 * Registers for which the processor's reset value is right get that value. Memory types and HWCR are the firmware's:
 * they are recorded at load, when Linux is trusted, and are the same on all CPUs. Linux sets its own when the CPU comes
 * online again. Not reset: P-states, and what only makes a core slower for reasons of its own (chicken bits,
 * microcode).
 */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <string.h>

#include "linux_cpu.h"
#include "msr.h"

#define MSR_MTRR_CAP     0xfe
#define MTRR_CAP_PAIRS   0xff
#define MSR_MTRR_BASE    0x200
#define MSR_MTRR_DEFAULT 0x2ff
#define MTRR_ENABLED     (1ul << 11)
#define CR0_CD           (1ul << 30)

/* Written in this order. A register that the processor has not is left out. */
static const struct {
    u32 msr;
    u64 value;
} after_reset[] = {
    { 0x1d9, 0 },              /* debug control: branch records */
    { 0xc8f, 0 },              /* class of service, and identifier for monitoring */
    { 0xc0000104, 1ul << 32 }, /* TSC ratio */
    { 0xc0000301, 0 },         /* all performance counters */
    { 0xc0010000, 0 },
    { 0xc0010001, 0 },
    { 0xc0010002, 0 },
    { 0xc0010003, 0 }, /* one by one, on older parts */
    { 0xc0010200, 0 },
    { 0xc0010202, 0 },
    { 0xc0010204, 0 },
    { 0xc0010206, 0 },
    { 0xc0010208, 0 },
    { 0xc001020a, 0 },
    { 0xc0011030, 0 },
    { 0xc0011033, 0 }, /* samples of fetches and of operations */
};

static const u16 fixed_types[] = { 0x250, 0x258, 0x259, 0x268, 0x269, 0x26a, 0x26b, 0x26c, 0x26d, 0x26e, 0x26f };

#define MAX_TYPES (ARRAY_SIZE(fixed_types) + 32)

static struct {
    u32 msr;
    u64 value;
} types[MAX_TYPES];
static unsigned n_types;
static u64 default_type, hwcr;

static __init_text void record(u32 msr)
{
    u64 value;
    if (n_types < MAX_TYPES && msr_try(msr, &value, false)) {
        types[n_types].msr = msr;
        types[n_types++].value = value;
    }
}

__init_text void core_reset_init(void)
{
    u64 cap = 0;
    n_types = 0;
    if (!msr_try(MSR_HWCR, &hwcr, false) || !msr_try(MSR_MTRR_CAP, &cap, false) ||
        !msr_try(MSR_MTRR_DEFAULT, &default_type, false))
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(fixed_types); i++)
        record(fixed_types[i]);
    for (u32 i = 0; i < 2 * (cap & MTRR_CAP_PAIRS); i++)
        record(MSR_MTRR_BASE + i);
}

static bool is(u32 msr, u64 value)
{
    u64 now;
    return !msr_try(msr, &now, false) || now == value;
}

static bool types_are_as_recorded(void)
{
    for (unsigned i = 0; i < n_types; i++)
        if (!is(types[i].msr, types[i].value))
            return false;
    return is(MSR_MTRR_DEFAULT, default_type);
}

/* Set the memory types while nothing is cached (APM vol. 2, 7.8.6). CR4.PGE is clear, and the caller loads CR3 next. */
static void restore_types(void)
{
    u64 off = default_type & ~MTRR_ENABLED, cr0 = read_cr0();
    write_cr0(cr0 | CR0_CD);
    wbinvd();
    msr_try(MSR_MTRR_DEFAULT, &off, true);
    for (unsigned i = 0; i < n_types; i++)
        msr_try(types[i].msr, &types[i].value, true);
    msr_try(MSR_MTRR_DEFAULT, &default_type, true);
    wbinvd();
    write_cr0(cr0);
}

static void restore_hwcr(void)
{
    u64 now;
    if (!msr_try(MSR_HWCR, &now, false) || !((now ^ hwcr) & HWCR_LINUX))
        return;
    now = (now & ~HWCR_LINUX) | (hwcr & HWCR_LINUX);
    msr_try(MSR_HWCR, &now, true);
}

/* Mask what can interrupt, AMD's extended registers included: one of these can also hold all interrupts off. */
static void reset_apic(void)
{
    static const u8 lvt[] = { APIC_LVT_THERMAL, APIC_LVT_COUNTERS, APIC_LVT_LINT1, APIC_LVT_ERROR };
    for (unsigned i = 0; i < ARRAY_SIZE(lvt); i++)
        apic_write(lvt[i], LVT_MASKED);
    if (!(apic_read(APIC_VERSION) & APIC_IS_EXTENDED))
        return;
    apic_write(APIC_EXTENDED_CONTROL, 0);
    for (u32 i = 0, n = apic_read(APIC_EXTENDED) >> 16 & 0xff; i < n; i++)
        apic_write(APIC_EXTENDED_LVT + i, LVT_MASKED);
}

/* What the branches of one side were trained to is not the other's. */
static void forget_branches(void)
{
    u64 barrier = PRED_CMD_IBPB;
    msr_try(MSR_PRED_CMD, &barrier, true);
}

void core_clean(struct linux_cpu *l)
{
    forget_branches();
    const struct tss *tss = &l->core.arch.tss;
    memset(l->core_stack, 0, HAL_STACK_SIZE);
    for (unsigned i = 0; i < SX_STACK; i++)
        memset((char *)tss->ist[i] - PAGE_SIZE, 0, PAGE_SIZE);
}

void core_reset(void)
{
    forget_branches();
    for (unsigned i = 0; i < ARRAY_SIZE(after_reset); i++) {
        u64 value = after_reset[i].value;
        msr_try(after_reset[i].msr, &value, true);
    }
    restore_hwcr();
    if (!types_are_as_recorded())
        restore_types();
    reset_apic();
}
