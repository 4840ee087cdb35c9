/* SPDX-License-Identifier: MIT */
/*
 * words.c - kernel code in a program for words of 32 bits, without a C library (tests/tools/test_portable.py):
 * arguments of formats are read by their type, and a u64 that another core changes is never seen half.
 */
#include <core/console.h>
#include <core/lock.h>
#include <core/log.h>
#include <string.h>

#define LOOKS   2000000u
#define CHANGES 2000u
#define CLONE   120u
#define SHARED  0x10f00u /* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD */

struct cpu *host_this_cpu;
bool host_irq_on = true;

static long call(unsigned long number, unsigned long a, unsigned long b, unsigned long c)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

void console_write(unsigned source, const char *text, size_t len) { call(4, 1, (unsigned long)text, len); }

static __noreturn void end(unsigned status)
{
    for (;;)
        call(252, status, 0, 0); /* exit_group */
}

static void same(unsigned number, const char *got, const char *want)
{
    if (strcmp(got, want))
        end(number);
}

/* Each format takes what its type takes: the argument behind it is found. */
static void formats(void)
{
    char line[64];
    ksnprintf(line, sizeof(line), "%u %llx %d %s %llu|", 7u, 0x123456789abcdef0ull, -3, "text", 1ull << 32);
    same(1, line, "7 123456789abcdef0 -3 text 4294967296|");
    ksnprintf(line, sizeof(line), "%llu %s %010llx %-4u|%5d", ~0ull, "a", 0xfull << 32, 1u, -12);
    same(2, line, "18446744073709551615 a 0f00000000 1   |  -12");
}

/* The compiler's calls for 64 bits; a port's compiler library has them. */
u64 __udivmoddi4(u64 n, u64 d, u64 *rest);
u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);

u64 __udivmoddi4(u64 n, u64 d, u64 *rest)
{
    u64 quotient = 0, r = 0;
    for (int bit = 63; bit >= 0; bit--) {
        r = r << 1 | (n >> bit & 1);
        if (r >= d) {
            r -= d;
            quotient |= 1ull << bit;
        }
    }
    if (rest)
        *rest = r;
    return quotient;
}

u64 __udivdi3(u64 n, u64 d) { return __udivmoddi4(n, d, NULL); }

u64 __umoddi3(u64 n, u64 d)
{
    u64 rest;
    __udivmoddi4(n, d, &rest);
    return rest;
}

void *memcpy(void *to, const void *from, size_t n)
{
    u8 *t = to;
    for (const u8 *f = from; n--;)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int c, size_t n)
{
    for (u8 *t = to; n--;)
        *t++ = (u8)c;
    return to;
}

static struct spinlock lock;
static volatile u64 value;
static u8 stack[4096] __aligned(16);

/* Another core: both halves change, with the lock. */
static __noreturn void writer(void)
{
    for (;;) {
        spin_lock(&lock);
        value = ~value;
        spin_unlock(&lock);
        for (volatile unsigned i = 0; i < 20; i++)
            ;
    }
}

static void begin_writer(void)
{
    void *top = stack + sizeof(stack);
    long thread;
    __asm__ volatile("int $0x80\n"
                     "test %%eax, %%eax\n"
                     "jnz 1f\n"
                     "jmp *%%esi\n"
                     "1:"
                     : "=a"(thread)
                     : "a"(CLONE), "b"(SHARED), "c"(top), "d"(0), "S"(writer)
                     : "memory");
    if (thread < 0)
        end(3);
}

static void no_tearing(void)
{
    u64 before = 0;
    unsigned changes = 0;
    begin_writer();
    for (unsigned i = 0; i < LOOKS || changes < CHANGES; i++) {
        u64 now = u64_peek((const u64 *)&value, &lock);
        if (now && now != ~0ull)
            end(4);
        changes += now != before;
        before = now;
    }
}

void _start(void);
void _start(void)
{
    formats();
    no_tearing();
    printk("words: all right\n");
    end(0);
}
