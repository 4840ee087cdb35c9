/* SPDX-License-Identifier: MIT */
/*
 * checksum - the neighbour of a hostile guest. It fills mib= MiB of its memory from a seed, then computes checksums of
 * them for ever, changing the memory as it goes. The sequence depends only on the seed: the line for round r is the
 * same in every run, so a write by anything else is found. Registers that a hypervisor must keep apart hold values of
 * the seed as well. seed=1 mib=8 report=16 rounds=0 (0: for ever) gap_us=0 (time wasted between rounds) cr2=1 (0: leave
 * CR2 out, for an emulator that does not load it)
 */
#include <guest.h>

#define AREA 0x800000 /* above the image */

static bool has_rdtscp, has_cr2;

/* Write debug, vector, segment and system call registers once; each round checks them. */
static void put_state(uint64_t s)
{
    uint64_t cr4;
    has_rdtscp = cpuid(0x80000001, 0).edx >> 27 & 1;
    __asm__ volatile("mov %%cr4, %0; or $0x600, %0; mov %0, %%cr4" : "=r"(cr4)); /* SSE */
    __asm__ volatile("mov %0, %%dr0; mov %1, %%dr3; movq %0, %%xmm0; movq %1, %%xmm15"
                     :
                     : "r"(s & 0xffffff), "r"(s >> 40));
    __asm__ volatile("mov %0, %%cr2" : : "r"(s));
    wrmsr(0xc0000102, s & 0x7fffffff); /* KernelGSBase */
    wrmsr(0xc0000100, s >> 33);        /* FS base */
    wrmsr(0xc0000082, s >> 40);        /* LSTAR */
    wrmsr(0xc0000103, s & 0xffff);     /* TSC_AUX */
}

/* Returns whether TSC_AUX is right, read as programs do, without an exit. */
static bool tsc_aux_kept(uint64_t s)
{
    uint32_t low, high, aux;
    if (!has_rdtscp)
        return true;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
    return aux == (s & 0xffff);
}

static bool state_kept(uint64_t s)
{
    uint64_t dr0, dr3, xmm0, xmm15;
    __asm__ volatile("mov %%dr0, %0; mov %%dr3, %1; movq %%xmm0, %2; movq %%xmm15, %3"
                     : "=r"(dr0), "=r"(dr3), "=r"(xmm0), "=r"(xmm15));
    return dr0 == (s & 0xffffff) && dr3 == s >> 40 && xmm0 == dr0 && xmm15 == dr3 && (read_cr2() == s || !has_cr2) &&
           rdmsr(0xc0000102) == (s & 0x7fffffff) && rdmsr(0xc0000100) == s >> 33 && rdmsr(0xc0000082) == s >> 40 &&
           rdmsr(0xc0000103) == (s & 0xffff) && tsc_aux_kept(s);
}

void guest_main(void)
{
    uint64_t seed = arg_number("seed", 1), rounds = arg_number("rounds", 0), every = arg_number("report", 16);
    uint64_t words = arg_number("mib", 8) << 17;
    volatile uint64_t *area = (volatile uint64_t *)AREA;
    seed = seed ? seed : 1;
    every = every ? every : 16;
    for (uint64_t i = 0, s = seed; i < words; i++)
        area[i] = xorshift(&s);
    uint64_t gap = us_to_tsc(arg_number("gap_us", 0)), mark = seed * 0x9e3779b97f4a7c15;
    print("checksum: seed=%lu mib=%lu\n", seed, words >> 17);
    has_cr2 = arg_number("cr2", 1);
    put_state(mark);
    uint64_t sum = seed, worst = 0, t0 = rdtsc();
    for (uint64_t r = 1; !rounds || r <= rounds; r++) {
        uint64_t start = rdtsc();
        for (uint64_t i = 0; i < words; i++) {
            sum = (sum << 7 | sum >> 57) ^ area[i];
            area[i] = sum + i;
        }
        uint64_t took = rdtsc() - start;
        worst = took > worst ? took : worst;
        if (!state_kept(mark))
            print("checksum: registers of somebody else in round %lu\n", r);
        while (rdtsc() - start - took < gap)
            ;
        if (r % every == 0) {
            print("checksum: round=%lu sum=%016lx ticks=%lu worst=%lu\n", r, sum, (rdtsc() - t0) / every, worst);
            worst = 0;
            t0 = rdtsc();
        }
    }
    print("checksum: done sum=%016lx\n", sum);
}
