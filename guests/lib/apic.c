/* SPDX-License-Identifier: MIT */
/* apic.c - the local APIC (APM vol. 2, chapter 16): by x2APIC's MSRs if CPUID has them and xapic=1 is not given,
 * otherwise by MMIO. */
#include <guest.h>

#define BASE                0xfee00000u
#define ID                  0x20
#define EOI                 0xb0
#define SPURIOUS            0xf0
#define ICR_LOW             0x300
#define ICR_HIGH            0x310
#define LVT_TIMER           0x320
#define TIMER_START         0x380
#define TIMER_NOW           0x390
#define TIMER_DIVIDE        0x3e0
#define TIMER_DEADLINE_MODE (2u << 17)

static bool x2, deadline;
static uint64_t count_khz;

bool apic_is_x2(void) { return x2; }

uint32_t apic_read(uint32_t offset)
{
    return x2 ? (uint32_t)rdmsr(MSR_X2APIC + offset / 16) : mmio_read(BASE + offset);
}

void apic_write(uint32_t offset, uint32_t value)
{
    if (x2)
        wrmsr(MSR_X2APIC + offset / 16, value);
    else
        mmio_write(BASE + offset, value);
}

void apic_enable(void)
{
    uint32_t features = cpuid(1, 0).ecx;
    x2 = features >> 21 & 1 && !arg_number("xapic", 0);
    deadline = features >> 24 & 1;
    wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | 1u << 11);
    if (x2) /* after xAPIC mode was enabled, which must come first (16.9) */
        wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | 3u << 10);
    apic_write(SPURIOUS, 0x1ff);
}

uint32_t apic_id(void) { return x2 ? apic_read(ID) : apic_read(ID) >> 24; }
void apic_eoi(void) { apic_write(EOI, 0); }

void apic_ipi(uint32_t destination, uint32_t low)
{
    if (x2) {
        wrmsr(MSR_X2APIC + ICR_LOW / 16, (uint64_t)destination << 32 | low);
        return;
    }
    while (mmio_read(BASE + ICR_LOW) & 1u << 12) /* the last interrupt is not delivered yet */
        cpu_relax();
    mmio_write(BASE + ICR_HIGH, destination << 24);
    mmio_write(BASE + ICR_LOW, low);
}

static void calibrate(void)
{
    apic_write(TIMER_DIVIDE, 0xb); /* by 1 */
    apic_write(TIMER_START, 0xffffffff);
    uint64_t t0 = rdtsc(), span = us_to_tsc(10000);
    while (rdtsc() - t0 < span)
        cpu_relax();
    uint64_t counted = 0xffffffffu - apic_read(TIMER_NOW), passed = rdtsc() - t0;
    apic_write(TIMER_START, 0);
    count_khz = counted * tsc_khz() / passed;
}

void apic_timer_setup(unsigned vector)
{
    if (!deadline && !count_khz)
        calibrate();
    apic_write(LVT_TIMER, vector | (deadline ? TIMER_DEADLINE_MODE : 0));
    /* Needed because an xAPIC write and a WRMSR after it are not ordered (APM vol. 2, 16.4; Intel SDM 3A 11.5.4.1). */
    __asm__ volatile("mfence" : : : "memory");
}

void apic_timer_at(uint64_t tsc)
{
    if (deadline) {
        wrmsr(MSR_TSC_DEADLINE, tsc);
        return;
    }
    uint64_t now = rdtsc(), ticks = tsc > now ? tsc - now : 1, count = ticks * count_khz / tsc_khz();
    apic_write(TIMER_START, count ? count : 1);
}
