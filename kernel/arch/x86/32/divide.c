/* SPDX-License-Identifier: MIT */
/*
 * divide.c (32 bits) - divisions of 64 bits. The compiler calls them by these names.
 *
 * The compiler's own library passes arguments on the stack, but this kernel passes them in registers (-mregparm=3). The
 * method is Warren, Hacker's Delight, 2nd edition, figure 9-5: DIV divides 64 bits by 32 if the quotient has 32.
 */
#include <arch/cpu.h>

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
