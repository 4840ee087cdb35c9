/* SPDX-License-Identifier: MIT */
/* sbi_device.c - the calls by which the firmware of a many-core drives devices for a cluster's kernel (arch/sbi.h). */
#include <arch/sbi.h>

#define DEVICE_EXTENSION 0x0a00414d

long sbi_device(long function, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long *value)
{
    register unsigned long a0 __asm__("a0") = a;
    register unsigned long a1 __asm__("a1") = b;
    register unsigned long a2 __asm__("a2") = c;
    register unsigned long a3 __asm__("a3") = d;
    register long a6 __asm__("a6") = function;
    register long a7 __asm__("a7") = DEVICE_EXTENSION;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a3), "r"(a6), "r"(a7) : "memory");
    *value = a1;
    return (long)a0;
}
