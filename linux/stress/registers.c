/* SPDX-License-Identifier: MIT */
/*
 * registers.c - rounds that hold values in general registers, in all vector registers and on the x87 stack for a while.
 * Interrupts, other processes and an attach or detach must not change them. Two processes do this at the same time,
 * with different values.
 */
#include <string.h>

#include "stress.h"

#define SPIN 20000

struct vectors {
    uint64_t word[16][4];
} __attribute__((aligned(32)));

#define EACH16(X)    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define YMM_LOAD(i)  "vmovdqa " #i "*32(%[in]), %%ymm" #i "\n"
#define YMM_STORE(i) "vmovdqa %%ymm" #i ", " #i "*32(%[out])\n"
#define XMM_LOAD(i)  "movdqa " #i "*32(%[in]), %%xmm" #i "\n"
#define XMM_STORE(i) "movdqa %%xmm" #i ", " #i "*32(%[out])\n"
#define NAME(i)      , "xmm" #i
#define LOOP         "1: dec %[count]\njnz 1b\n"

static void keep_ymm(const struct vectors *in, struct vectors *out, uint64_t count)
{
    __asm__ volatile(EACH16(YMM_LOAD) LOOP EACH16(YMM_STORE) "vzeroupper\n"
                     : [count] "+r"(count)
                     : [in] "r"(in), [out] "r"(out)
                     : "memory", "cc" EACH16(NAME));
}

static void keep_xmm(const struct vectors *in, struct vectors *out, uint64_t count)
{
    __asm__ volatile(EACH16(XMM_LOAD) LOOP EACH16(XMM_STORE)
                     : [count] "+r"(count)
                     : [in] "r"(in), [out] "r"(out)
                     : "memory", "cc" EACH16(NAME));
}

static int vectors(uint64_t n)
{
    static struct vectors in, out;
    int avx = __builtin_cpu_supports("avx");
    pattern_fill(&in, sizeof(in), n);
    memset(&out, 0, sizeof(out));
    (avx ? keep_ymm : keep_xmm)(&in, &out, SPIN);
    for (int i = 0; i < 16; i++)
        if (memcmp(in.word[i], out.word[i], avx ? 32 : 16))
            return wrong("vector register %d changed in round %llu", i, (unsigned long long)n);
    return 0;
}

/* Eight registers count up by one; all must reach the same sum. */
static int general(uint64_t n)
{
    uint64_t r[8], count = SPIN;
    __asm__ volatile("mov %[n], %%r8\nmov %[n], %%r9\nmov %[n], %%r10\nmov %[n], %%r11\n"
                     "mov %[n], %%r12\nmov %[n], %%r13\nmov %[n], %%r14\nmov %[n], %%r15\n"
                     "1: add $1, %%r8\nadd $1, %%r9\nadd $1, %%r10\nadd $1, %%r11\n"
                     "add $1, %%r12\nadd $1, %%r13\nadd $1, %%r14\nadd $1, %%r15\ndec %[count]\njnz 1b\n"
                     "mov %%r8, 0(%[r])\nmov %%r9, 8(%[r])\nmov %%r10, 16(%[r])\nmov %%r11, 24(%[r])\n"
                     "mov %%r12, 32(%[r])\nmov %%r13, 40(%[r])\nmov %%r14, 48(%[r])\nmov %%r15, 56(%[r])\n"
                     : [count] "+r"(count)
                     : [n] "r"(n), [r] "r"(r)
                     : "memory", "cc", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15");
    for (int i = 0; i < 8; i++)
        if (r[i] != n + SPIN)
            return wrong("r%d is %llx in round %llu", 8 + i, (unsigned long long)r[i], (unsigned long long)n);
    return 0;
}

static int x87(uint64_t n)
{
    double a = (double)(n & 0xffff), b = a + 1, x = 0, y = 0;
    uint64_t count = SPIN;
    __asm__ volatile("fldl %[a]\nfldl %[b]\n" LOOP "fstpl %[y]\nfstpl %[x]\n"
                     : [count] "+r"(count), [x] "=m"(x), [y] "=m"(y)
                     : [a] "m"(a), [b] "m"(b)
                     : "cc", "st");
    return x == a && y == b ? 0 : wrong("the x87 stack changed in round %llu", (unsigned long long)n);
}

int round_registers(uint64_t n) { return vectors(n) || general(n) || x87(n); }
