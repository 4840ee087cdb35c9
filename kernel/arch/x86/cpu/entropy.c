/* SPDX-License-Identifier: MIT */
/* entropy.c - RDRAND, tried ten times for each word as its manual says. */
#include <arch/cpu.h>
#include <arch/features.h>
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

int hal_entropy(void *buf, size_t n)
{
    if (!(cpuid(1, 0).ecx & X86_FEATURE_RDRAND))
        return -ENODEV;
    for (u8 *to = buf; n;) {
        unsigned long v;
        bool ok = false;
        unsigned tries = 10;
        do
            __asm__ volatile("rdrand %0" : "=r"(v), "=@ccc"(ok));
        while (!ok && --tries);
        if (!ok)
            return -EIO;
        size_t part = MIN(n, sizeof(v));
        memcpy(to, &v, part);
        to += part;
        n -= part;
    }
    return 0;
}
