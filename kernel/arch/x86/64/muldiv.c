/* SPDX-License-Identifier: MIT */
/* muldiv.c - divides a product of 128 bits (hal/time.h). */
#include <hal/time.h>

__noinline u64 mul_div(u64 a, u64 b, u64 c)
{
    u64 lo, hi, rest;
    __asm__("mulq %3" : "=a"(lo), "=d"(hi) : "0"(a), "rm"(b));
    if (hi >= c)
        return ~0ull;
    __asm__("divq %4" : "=a"(lo), "=d"(rest) : "0"(lo), "1"(hi), "rm"(c));
    return lo;
}
