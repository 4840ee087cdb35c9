/* SPDX-License-Identifier: MIT */
/*
 * registers - checks that a guest's registers are its own. First it checks that they have their reset values. Then it
 * fills all registers in which two guests of a core could see each other with numbers made from mark=, yields, and
 * checks them, rounds= (1000) times. registers: mark=1 ok, 21 registers, 1000 rounds It also checks that a refused
 * write changes nothing. armed=1 leaves a breakpoint enabled, at an address that is never executed.
 */
#include <guest.h>
#include <amalgam_calls.h>

#define GET_SET(name, read, write)                                                                                     \
    static uint64_t get_##name(void)                                                                                   \
    {                                                                                                                  \
        uint64_t v = 0;                                                                                                \
        __asm__ volatile(read : "+r"(v) : : "memory");                                                                 \
        return v;                                                                                                      \
    }                                                                                                                  \
    static void set_##name(uint64_t v) { __asm__ volatile(write : "+r"(v) : : "memory"); }

GET_SET(dr0, "mov %%db0, %0", "mov %0, %%db0")
GET_SET(dr1, "mov %%db1, %0", "mov %0, %%db1")
GET_SET(dr2, "mov %%db2, %0", "mov %0, %%db2")
GET_SET(dr3, "mov %%db3, %0", "mov %0, %%db3")
GET_SET(cr2, "mov %%cr2, %0", "mov %0, %%cr2")
GET_SET(cr8, "mov %%cr8, %0", "mov %0, %%cr8")
GET_SET(xmm0, "movq %%xmm0, %0", "movq %0, %%xmm0")
GET_SET(xmm15, "movq %%xmm15, %0", "movq %0, %%xmm15")
GET_SET(mm3, "movq %%mm3, %0", "movq %0, %%mm3")

static uint64_t get_mxcsr(void)
{
    uint32_t v;
    __asm__ volatile("stmxcsr %0" : "=m"(v));
    return v;
}
static void set_mxcsr(uint64_t v)
{
    uint32_t low = (uint32_t)v;
    __asm__ volatile("ldmxcsr %0" : : "m"(low));
}

static uint64_t get_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | (uint64_t)high << 32;
}
static void set_xcr0(uint64_t v) { __asm__ volatile("xsetbv" : : "c"(0), "a"((uint32_t)v), "d"((uint32_t)(v >> 32))); }

/* If `get` is NULL it is MSR `msr`. `mask`: the bits that can hold a number; `fixed`: bits that must also be set. */
static const struct reg {
    const char *name;
    uint64_t (*get)(void);
    void (*set)(uint64_t);
    uint32_t msr;
    uint64_t mask, fixed, reset;
} regs[] = {
    { "dr0", get_dr0, set_dr0, 0, 0xfffffff, 0x7f0000000000, 0 },
    { "dr1", get_dr1, set_dr1, 0, ~0ull, 0, 0 },
    { "dr2", get_dr2, set_dr2, 0, ~0ull, 0, 0 },
    { "dr3", get_dr3, set_dr3, 0, ~0ull, 0, 0 },
    { "cr2", get_cr2, set_cr2, 0, ~0ull, 0, 0 },
    { "cr8", get_cr8, set_cr8, 0, 0xf, 0, 0 },
    { "mm3", get_mm3, set_mm3, 0, ~0ull, 0, 0 },
    { "xmm0", get_xmm0, set_xmm0, 0, ~0ull, 0, 0 },
    { "xmm15", get_xmm15, set_xmm15, 0, ~0ull, 0, 0 },
    { "mxcsr", get_mxcsr, set_mxcsr, 0, 0x6000, 0x1f80, 0x1f80 },
    { "pat", NULL, NULL, 0x277, 0x0101, 0x0007040600070404, 0x0007040600070406 },
    { "sysenter_cs", NULL, NULL, 0x174, 0xffff, 0, 0 },
    { "sysenter_esp", NULL, NULL, 0x175, 0xffffffff, 0, 0 },
    { "sysenter_eip", NULL, NULL, 0x176, 0xffffffff, 0, 0 },
    { "star", NULL, NULL, 0xc0000081, ~0ull, 0, 0 },
    { "lstar", NULL, NULL, 0xc0000082, 0x7fffffffffff, 0, 0 },
    { "cstar", NULL, NULL, 0xc0000083, 0x7fffffffffff, 0, 0 },
    { "sfmask", NULL, NULL, 0xc0000084, 0xffffffff, 0, 0 },
    { "fs_base", NULL, NULL, 0xc0000100, 0x7fffffffffff, 0, 0 },
    { "kernel_gs_base", NULL, NULL, 0xc0000102, 0x7fffffffffff, 0, 0 },
    { "tsc_aux", NULL, NULL, 0xc0000103, 0xffffffff, 0, 0 },
    { "xcr0", get_xcr0, set_xcr0, 0, 2, 1, 1 }, /* the last one, because not every board has it */
};
#define N_REGS (sizeof(regs) / sizeof(regs[0]))

static uint64_t mark;
static unsigned wrong;

static uint64_t get(const struct reg *r) { return r->get ? r->get() : rdmsr(r->msr); }

static uint64_t number(unsigned i, uint64_t round)
{
    uint64_t z = (mark << 40 | round << 8 | i) * 0x9e3779b97f4a7c15 + 0x94d049bb133111eb;
    return ((z ^ z >> 31) & regs[i].mask) | regs[i].fixed;
}

static void check(const struct reg *r, const char *when, uint64_t want)
{
    uint64_t is = get(r);
    if (is != want && wrong++ < 16)
        print("registers: mark=%lu %s: %s is %lx, should be %lx\n", mark, when, r->name, is, want);
}

static void set_all(unsigned n, uint64_t round)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = number(i, round);
        if (regs[i].set)
            regs[i].set(value);
        else
            wrmsr(regs[i].msr, value);
    }
}

static void write_too_much(void *reg) { wrmsr(((const struct reg *)reg)->msr, 1ull << 32 | 0x55); }

static void check_refusal(struct reg r)
{
    int answer = guarded(write_too_much, &r);
    if (answer != 14 && wrong++ < 16) /* #GP, as guarded() counts */
        print("registers: mark=%lu a write of %s with too many bits is answered by %d\n", mark, r.name, answer);
    check(&r, "after a refused write", r.reset);
}

void guest_main(void)
{
    uint64_t rounds = arg_number("rounds", 1000), cr4;
    bool xsave = cpuid(1, 0).ecx >> 26 & 1;
    unsigned n = N_REGS - !xsave;
    mark = arg_number("mark", 1);
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | 0x600 | (xsave ? 1u << 18 : 0)));
    for (unsigned i = 0; i < n; i++)
        check(&regs[i], "at reset", regs[i].reset);
    check_refusal(regs[N_REGS - 2]); /* tsc_aux */
    for (uint64_t round = 0; round < rounds; round++) {
        set_all(n, round);
        if (arg_number("armed", 0))
            __asm__ volatile("mov %0, %%db7" : : "r"(0x402ul));
        for (unsigned turn = 0; turn < 3; turn++) {
            amalgam_yield();
            for (unsigned i = 0; i < n; i++)
                check(&regs[i], "after a turn", number(i, round));
        }
    }
    print("registers: mark=%lu %s, %u registers, %lu rounds\n", mark, wrong ? "WRONG" : "ok", n, rounds);
}
