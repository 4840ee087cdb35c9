/* SPDX-License-Identifier: MIT */
/*
 * muldiv.c - a * b / c with a product of 128 bits (hal/time.h).
 *
 * If the product fits 64 bits, as it does for half an hour of nanoseconds, it takes one division. Otherwise the
 * quotient has two digits of 32 bits, each of which is one.
 */
#include <hal/time.h>

__noinline u64 mul_div(u64 a, u64 b, u64 c)
{
    u64 a0 = (u32)a, a1 = a >> 32, b0 = (u32)b, b1 = b >> 32;
    u64 low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (u32)middle;
    u64 high = a1 * b1 + (middle >> 32) + (other >> 32);
    low = (u32)low | other << 32;
    if (!high)
        return low / c;
    if (high >= c)
        return ~0ull;
    u64 upper = high << 32 | low >> 32, digit = upper / c, rest = upper - digit * c;
    return digit << 32 | (rest << 32 | (u32)low) / c;
}
