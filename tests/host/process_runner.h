/* SPDX-License-Identifier: MIT */
/* process_runner.h - the little of Linux and of a C library that process_runner.c has: no errno, and nothing that FS is
 * for. */
#ifndef PROCESS_RUNNER_H
#define PROCESS_RUNNER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static long linux_call(long n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    register uint64_t r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "+a"(n) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return n;
}
#define LINUX(n, a, b, c, d, e, f)                                                                                     \
    linux_call(SYS_##n, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), (uint64_t)(e), (uint64_t)(f))

void *memset(void *to, int byte, size_t n)
{
    for (volatile char *at = to; n--; at++)
        *at = (char)byte;
    return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

static size_t length(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

static _Noreturn void quit(int status)
{
    for (;;)
        LINUX(exit_group, status, 0, 0, 0, 0, 0);
}

static _Noreturn void fail(const char *why, int status)
{
    LINUX(write, 2, why, length(why), 0, 0, 0);
    LINUX(write, 2, "\n", 1, 0, 0, 0);
    quit(status);
}

static uint64_t now(void)
{
    uint64_t time[2];
    LINUX(clock_gettime, 1, time, 0, 0, 0, 0);
    return time[0] * 1000000000ull + time[1];
}

#endif
