/* SPDX-License-Identifier: MIT */
/*
 * steady.c - checks that interrupts and system calls change no registers. One thread holds values in its registers,
 * checks them, makes calls in between, and prints once a second how often all was right. The first thread waits for a
 * word with a deadline, again and again, so that the kernel has it in a list of waiters. x86-64.
 *
 * "steady base" sets the base of GS, which a process must not be able to.
 */
#include <amalgam/calls.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000
#define SPINS  20000

static uint64_t word = 0x5ead1;
static _Thread_local uint64_t own = 0x0a11;

/* Fill the registers with products of `seed` and wait. Returns whether each still holds its value. */
static int registers_stay(uint64_t seed)
{
    uint64_t sum, expected = seed * (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10);
    double half = (double)(seed & 0xffff) / 2, same;
    __asm__ volatile("lea (%[s],%[s]), %%rdx; lea (%[s],%[s],2), %%rbx; lea (,%[s],4), %%rdi\n"
                     "lea (%[s],%[s],4), %%r8; lea (%%rbx,%%rbx), %%r9; lea (%%rbx,%%rdi), %%r10\n"
                     "lea (,%[s],8), %%r11; lea (%[s],%[s],8), %%r12; lea (%%r8,%%r8), %%r13\n"
                     "movsd %[h], %%xmm5\n"
                     "1: dec %%rcx; jnz 1b\n"
                     "movsd %%xmm5, %[x]\n"
                     "lea (%%rdx,%%rbx), %%rax; add %%rdi, %%rax; add %%r8, %%rax; add %%r9, %%rax\n"
                     "add %%r10, %%rax; add %%r11, %%rax; add %%r12, %%rax; add %%r13, %%rax"
                     : "=&a"(sum), [x] "=m"(same)
                     : [s] "S"(seed), [h] "m"(half), "c"((uint64_t)SPINS)
                     : "rdx", "rbx", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "xmm5", "cc", "memory");
    return sum == expected && same == half;
}

/* Returns whether the base of GS is 0, and that of FS this thread's record. */
static int segments_stay(void)
{
    uint64_t by_gs, by_fs = *(volatile uint64_t *)&own;
    __asm__ volatile("mov %%gs:(%1), %0" : "=r"(by_gs) : "r"(&word) : "memory");
    return by_gs == word && by_fs == 0x0a11;
}

/* Make several calls. Returns whether their results are right. */
static int calls_stay(int64_t *now)
{
    int64_t before = *now;
    for (int i = 0; i < 200; i++)
        if ((*now = amalgam_call(AMALGAM_CLOCK, 0, 0, 0, 0)) < before ||
            amalgam_call(AMALGAM_THREAD_SELF, 0, 0, 0, 0) != 1)
            return 0;
    return 1;
}

static unsigned processor(void)
{
    unsigned low, high, aux;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
    return aux;
}

static void *turns(void *unused)
{
    int64_t now = 0, next = 0;
    uint64_t n = 1;
    for (; registers_stay(n * 0x9e3779b9) && segments_stay() && calls_stay(&now); n++) {
        if (now >= next) {
            next = now + SECOND;
            printf("steady: %lu turns, processor %u\n", n, processor());
        }
    }
    printf("steady: wrong in turn %lu\n", n);
    exit(1);
    return unused;
}

static void wait_beside(void)
{
    static uint32_t flag;
    pthread_t thread;
    if (pthread_create(&thread, NULL, turns, NULL))
        return;
    while (amalgam_wait(&flag, 0, amalgam_clock() + SECOND / 100) == -AMALGAM_ETIMEDOUT)
        ;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "base"))
        __asm__ volatile("wrgsbase %0" ::"r"(&word) : "memory");
    else
        wait_beside();
    printf("steady: wrong: still here\n");
    return 1;
}
