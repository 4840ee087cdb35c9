/* SPDX-License-Identifier: MIT */
/*
 * divisions.c - what a 32-bit x86 kernel divides by (arch/x86/32/divide.c) in a program without a C library,
 * against divisions bit by bit: every pair and triple of edge values, and pseudo-random ones of all lengths
 * (tests/tools/test_widths.py). The status says which check failed.
 */
#include <types.h>
#include <hal/time.h>

u64 __udivdi3(u64 a, u64 b);
u64 __umoddi3(u64 a, u64 b);
u64 __udivmoddi4(u64 a, u64 b, u64 *rest);

static const u64 edges[] = {
    1,          2,          3,          10,          0x7fffffff,          0x80000000,          0x80000001,
    0xfffffffe, 0xffffffff, 1ull << 32, 0x100000001, 0x1ffffffff,         0x7fffffffffffffff,  1ull << 63,
    ~0ull - 1,  ~0ull,      1000000000, 3579545,     0xfffffffe00000001u, 0x80000000ffffffffu, 0xffffffff00000000u,
};

static __noreturn void end(unsigned status)
{
    for (;;)
        __asm__ volatile("int $0x80" ::"a"(252), "b"(status) : "memory"); /* exit_group */
}

/* (high:low) / d, the lower 64 bits of it, and the remainder. */
static u64 slow(u64 high, u64 low, u64 d, u64 *rest)
{
    u64 quotient = 0, r = 0;
    for (int bit = 127; bit >= 0; bit--) {
        bool carry = r >> 63;
        r = r << 1 | ((bit > 63 ? high >> (bit - 64) : low >> bit) & 1);
        quotient <<= 1;
        if (carry || r >= d) {
            r -= d;
            quotient |= 1;
        }
    }
    *rest = r;
    return quotient;
}

static void check_division(u64 a, u64 b)
{
    u64 rest, rest2, want = slow(0, a, b, &rest);
    if (__udivdi3(a, b) != want)
        end(1);
    if (__umoddi3(a, b) != rest)
        end(2);
    if (__udivmoddi4(a, b, &rest2) != want || rest2 != rest)
        end(3);
}

/* a * b by additions, 128 bits. */
static void product(u64 a, u64 b, u64 *high, u64 *low)
{
    *high = *low = 0;
    for (int bit = 63; bit >= 0; bit--) {
        *high = *high << 1 | *low >> 63;
        *low <<= 1;
        if (b >> bit & 1) {
            *low += a;
            *high += *low < a;
        }
    }
}

static void check_mul_div(u64 a, u64 b, u64 c)
{
    if (c >> 32)
        return;
    u64 high, low, rest;
    product(a, b, &high, &low);
    if (mul_div(a, b, c) != (high >= c ? ~0ull : slow(high, low, c, &rest)))
        end(4);
}

static u64 random(void)
{
    static u64 state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    u64 mixed = state ^ state >> 29;
    return mixed >> (state >> 58) | 1; /* of every length */
}

void _start(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(edges); i++)
        for (unsigned j = 0; j < ARRAY_SIZE(edges); j++) {
            check_division(edges[i], edges[j]);
            for (unsigned k = 0; k < ARRAY_SIZE(edges); k++)
                check_mul_div(edges[i], edges[j], edges[k]);
        }
    for (unsigned i = 0; i < 100000; i++) {
        check_division(random(), random());
        check_mul_div(random(), random(), (u32)random() | 1);
    }
    end(0);
}
