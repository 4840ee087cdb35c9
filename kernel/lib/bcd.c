/* SPDX-License-Identifier: MIT */
/* bcd.c - binary coded decimals of four digits. */
#include <bcd.h>

u16 to_bcd(u32 n)
{
    u32 bcd = 0;
    for (unsigned shift = 0; n; shift += 4, n /= 10)
        bcd |= n % 10 << shift;
    return bcd;
}

u32 from_bcd(u16 bcd)
{
    u32 n = 0;
    for (u32 unit = 1; bcd; unit *= 10, bcd >>= 4)
        n += (bcd & 15) * unit;
    return n;
}
