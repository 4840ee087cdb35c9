/* SPDX-License-Identifier: MIT */
/* time.c - the frequency of the TSC. */
#include <guest.h>

#define PM_TIMER    0x608
#define PM_TIMER_HZ 3579545

/* Measure the TSC over 20 ms of the ACPI timer, which has at least 24 bits. The PIT cannot be used: QEMU's is wrong by
 * a factor of up to 3.6. */
static uint64_t measure(void)
{
    const uint32_t ticks = PM_TIMER_HZ / 50;
    uint32_t start = inl(PM_TIMER), passed;
    uint64_t t0 = rdtsc();
    do {
        passed = (inl(PM_TIMER) - start) & 0xffffff;
        if (rdtsc() - t0 > 1ull << 34)
            return 1000000; /* there is no such timer: assume 1 GHz */
    } while (passed < ticks);
    return (rdtsc() - t0) * PM_TIMER_HZ / passed / 1000;
}

uint64_t tsc_khz(void)
{
    static uint64_t khz;
    if (khz)
        return khz;
    khz = arg_number("tsc_khz", 0);
    struct cpuid hv = cpuid(0x40000000, 0);
    if (!khz && (cpuid(1, 0).ecx >> 31) && hv.ebx == 0x4b4d564b /* "KVMK" */ && hv.eax >= 0x40000010)
        khz = cpuid(0x40000010, 0).eax;
    if (!khz && cpuid(0, 0).eax >= 0x15) {
        struct cpuid c = cpuid(0x15, 0);
        if (c.eax && c.ebx && c.ecx)
            khz = (uint64_t)c.ecx * c.ebx / c.eax / 1000;
    }
    if (!khz)
        khz = measure();
    return khz;
}

/* Convert in two steps, so that many days of ticks do not overflow. */
uint64_t tsc_to_ns(uint64_t ticks)
{
    uint64_t khz = tsc_khz();
    return ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
}

uint64_t us_to_tsc(uint64_t us) { return us * tsc_khz() / 1000; }
