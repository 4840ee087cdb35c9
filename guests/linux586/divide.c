/* SPDX-License-Identifier: MIT */
/* divide.c - divisions of 64 bits, which the compiler calls: its own library's have instructions that a Pentium has
 * not. */
typedef unsigned long long u64;
typedef long long s64;

u64 __udivmoddi4(u64 n, u64 d, u64 *rest);
u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);
s64 __divmoddi4(s64 n, s64 d, s64 *rest);
s64 __divdi3(s64 n, s64 d);
s64 __moddi3(s64 n, s64 d);

u64 __udivmoddi4(u64 n, u64 d, u64 *rest)
{
    u64 quotient = 0, left = 0;

    for (int bit = 63; bit >= 0; bit--) {
        left = left << 1 | (n >> bit & 1);
        if (left >= d) {
            left -= d;
            quotient |= 1ull << bit;
        }
    }
    if (rest)
        *rest = left;
    return quotient;
}

u64 __udivdi3(u64 n, u64 d) { return __udivmoddi4(n, d, 0); }

u64 __umoddi3(u64 n, u64 d)
{
    u64 rest;

    __udivmoddi4(n, d, &rest);
    return rest;
}

static u64 size(s64 n) { return n < 0 ? -(u64)n : (u64)n; }

s64 __divmoddi4(s64 n, s64 d, s64 *rest)
{
    u64 left, quotient = __udivmoddi4(size(n), size(d), &left);

    if (rest)
        *rest = (s64)(n < 0 ? -left : left);
    return (s64)((n < 0) != (d < 0) ? -quotient : quotient);
}

s64 __divdi3(s64 n, s64 d) { return __divmoddi4(n, d, 0); }

s64 __moddi3(s64 n, s64 d)
{
    s64 rest;

    __divmoddi4(n, d, &rest);
    return rest;
}
