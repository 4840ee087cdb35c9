/* SPDX-License-Identifier: MIT */
/* entropy.c - RDRAND, tried ten times a word as its manual asks. */
#include <arch/cpu.h>
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

int hal_entropy(void *buf, size_t n)
{
    if (!(cpuid(1, 0).ecx & (1u << 30)))
        return -ENODEV;
    for (size_t done = 0; done < n;) {
        u64 v;
        bool ok = false;
        for (unsigned i = 0; i < 10 && !ok; i++)
            __asm__ volatile("rdrand %0" : "=r"(v), "=@ccc"(ok));
        if (!ok)
            return -EIO;
        size_t part = MIN(n - done, sizeof(v));
        memcpy((char *)buf + done, &v, part);
        done += part;
    }
    return 0;
}
