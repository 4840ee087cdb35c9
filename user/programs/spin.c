/* SPDX-License-Identifier: MIT */
/*
 * spin.c - prints one line, then loops: without a system call, or, arguments: [spin, calls], with one in each turn.
 * Then it also reads its own memory by GS, whose base is 0 for a program: with the kernel's, it would fault. With
 * arguments: [spin, calls, N] it prints N other lines before.
 */
#include <amalgam/calls.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long by_gs(const volatile unsigned long *at)
{
    unsigned long value = *at;
#if defined(__x86_64__)
    __asm__ volatile("mov %%gs:(%1), %0" : "=r"(value) : "r"(at) : "memory");
#endif
    return value;
}

int main(int argc, char **argv)
{
    for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--)
        puts("spin: one of many lines, which are all of the same length: 64.");
    puts("spin: begins");
    for (volatile unsigned long turns = 0;; turns++)
        if (argc > 1 && by_gs(&turns) == turns)
            amalgam_null();
}
