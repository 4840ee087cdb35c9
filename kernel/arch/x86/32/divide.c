/* SPDX-License-Identifier: MIT */
/*
 * divide.c (32 bits) - divisions of 64 bits, which the compiler calls by these names, and mul_div() (hal/time.h).
 *
 * The compiler's own library passes arguments on the stack, but this kernel passes them in registers (-mregparm=3). The
 * method is Warren, Hacker's Delight, 2nd edition, figure 9-5: DIV divides 64 bits by 32 if the quotient has 32.
 */
#include <arch/cpu.h>
#include <hal/time.h>

u64 __udivdi3(u64 a, u64 b);
u64 __umoddi3(u64 a, u64 b);
u64 __udivmoddi4(u64 a, u64 b, u64 *rest);

/* (high:low) / d, for high < d. */
static inline u32 div(u32 high, u32 low, u32 d, u32 *rest)
{
    u32 q;
    __asm__("divl %4" : "=a"(q), "=d"(*rest) : "0"(low), "1"(high), "rm"(d));
    return q;
}

static u64 by_word(u64 a, u32 b)
{
    u32 high = (u32)(a >> 32), rest = high, upper = 0;
    if (high >= b)
        upper = div(0, high, b, &rest);
    return (u64)upper << 32 | div(rest, (u32)a, b, &rest);
}

/* A divisor of more than 32 bits. b's 32 highest bits give an estimate that is at most one too high. So we subtract
 * one, and correct. */
static u64 by_long(u64 a, u64 b)
{
    u32 shift = 31 - bit_msb32((u32)(b >> 32)), rest;
    u64 a_half = a >> 1;
    u32 q = div((u32)(a_half >> 32), (u32)a_half, (u32)(b << shift >> 32), &rest);
    q = (u32)((u64)q << shift >> 31);
    if (q)
        q--;
    return a - q * b >= b ? q + 1 : q;
}

/* Returns a / b. b = 0 causes a divide error. */
u64 __udivdi3(u64 a, u64 b) { return b >> 32 ? by_long(a, b) : by_word(a, (u32)b); }

u64 __umoddi3(u64 a, u64 b) { return a - __udivdi3(a, b) * b; }

u64 __udivmoddi4(u64 a, u64 b, u64 *rest)
{
    u64 q = __udivdi3(a, b);
    *rest = a - q * b;
    return q;
}

struct product {
    u64 high, low;
};

static struct product multiply(u64 a, u64 b)
{
    u32 a0 = (u32)a, a1 = (u32)(a >> 32), b0 = (u32)b, b1 = (u32)(b >> 32);
    u64 low = (u64)a0 * b0, mid = (u64)a1 * b0 + (low >> 32), mid2 = (u64)a0 * b1 + (u32)mid;
    return (struct product){ (u64)a1 * b1 + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (u32)low };
}

/* The quotient has two digits of 32 bits, each of which is one DIV: a time costs the same whenever it is. */
__noinline u64 mul_div(u64 a, u64 b, u64 c)
{
    struct product p = multiply(a, b);
    if (p.high >= c)
        return ~0ull;
    u32 rest, upper = div((u32)p.high, (u32)(p.low >> 32), (u32)c, &rest);
    return (u64)upper << 32 | div(rest, (u32)p.low, (u32)c, &rest);
}
