/* SPDX-License-Identifier: MIT */
/*
 * muldiv.c (32 bits) - a * b / c with a product of 128 bits (hal/time.h), from products of 32 bits.
 *
 * If the product fits 64 bits, divide.c divides it. Otherwise a loop over bits takes some 600 instructions, for times
 * above about ten seconds.
 */
#include <hal/time.h>

struct product {
    u64 high, low;
};

static struct product multiply(u64 a, u64 b)
{
    u32 a0 = (u32)a, a1 = (u32)(a >> 32), b0 = (u32)b, b1 = (u32)(b >> 32);
    u64 low = (u64)a0 * b0, mid = (u64)a1 * b0 + (low >> 32), mid2 = (u64)a0 * b1 + (u32)mid;
    return (struct product){ (u64)a1 * b1 + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (u32)low };
}

/* p / c for p.high < c. The remainder stays below c, but needs one more bit in between. */
static u64 divide(struct product p, u64 c)
{
    for (unsigned i = 0; i < 64; i++) {
        bool carry = p.high >> 63;
        p.high = p.high << 1 | p.low >> 63;
        p.low <<= 1;
        if (carry || p.high >= c) {
            p.high -= c;
            p.low |= 1;
        }
    }
    return p.low;
}

__noinline u64 mul_div(u64 a, u64 b, u64 c)
{
    struct product p = multiply(a, b);
    if (p.high >= c)
        return ~0ull;
    return p.high ? divide(p, c) : p.low / c;
}
