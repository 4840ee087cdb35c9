/* SPDX-License-Identifier: MIT */
/* sbi.c - calls of the firmware (arch/sbi.h). a7 holds the extension and a6 the function; a0 returns the error and a1
 * the value. */
#include <arch/memory.h>
#include <arch/sbi.h>

enum { LEGACY_SET_TIMER = 0, LEGACY_PUTCHAR = 1, LEGACY_GETCHAR = 2, LEGACY_SHUTDOWN = 8 };
enum { BASE = 0x10, TIME = 0x54494d45, IPI = 0x735049, HSM = 0x48534d, SRST = 0x53525354, DBCN = 0x4442434e };
enum { BASE_PROBE = 3, DBCN_WRITE = 0 };

/* The call's error; its value, if it is wanted. */
static long call_for(unsigned long *value, long extension, long function, unsigned long a, unsigned long b,
                     unsigned long c)
{
    register unsigned long a0 __asm__("a0") = a;
    register unsigned long a1 __asm__("a1") = b;
    register unsigned long a2 __asm__("a2") = c;
    register long a6 __asm__("a6") = function;
    register long a7 __asm__("a7") = extension;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a6), "r"(a7) : "memory");
    if (value)
        *value = a1;
    return (long)a0;
}

static long call(long extension, long function, unsigned long a, unsigned long b, unsigned long c)
{
    return call_for(NULL, extension, function, a, b, c);
}

__init_text bool sbi_can_write(void)
{
    unsigned long there = 0;
    return !call_for(&there, BASE, BASE_PROBE, DBCN, 0, 0) && there;
}

unsigned sbi_write(const void *text, unsigned n)
{
    unsigned long written = 0;
    paddr_t pa = virt_to_phys(text);
    u64 high = sizeof(long) < sizeof(u64) ? pa >> 32 : 0;
    if (call_for(&written, DBCN, DBCN_WRITE, n, (unsigned long)pa, (unsigned long)high))
        return 0;
    return (unsigned)MIN(written, (unsigned long)n);
}

void sbi_putchar(u8 byte) { call(LEGACY_PUTCHAR, 0, byte, 0, 0); }

int sbi_getchar(void) { return (int)call(LEGACY_GETCHAR, 0, 0, 0, 0); }

/* With 32 bits the deadline takes two registers. An old firmware has the legacy call only. */
void sbi_set_timer(u64 deadline)
{
    unsigned long high = sizeof(long) < sizeof(u64) ? (unsigned long)(deadline >> 32) : 0;
    if (call(TIME, 0, (unsigned long)deadline, high, 0))
        call(LEGACY_SET_TIMER, 0, (unsigned long)deadline, high, 0);
}

void sbi_send_ipi(unsigned long hart) { call(IPI, 0, 1, hart, 0); }

long sbi_hart_start(unsigned long hart, paddr_t start, unsigned long arg)
{
    return call(HSM, 0, hart, (unsigned long)start, arg);
}

void sbi_shutdown(void)
{
    call(SRST, 0, 0, 0, 0);
    call(LEGACY_SHUTDOWN, 0, 0, 0, 0);
}
