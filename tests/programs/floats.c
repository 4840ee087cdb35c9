/* SPDX-License-Identifier: MIT */
/*
 * floats.c - checks what a new thread finds in its floating-point unit: zeros in all registers, whatever the thread
 * before it left there, and the environment of its creator (C17, 7.6). The last line says whether all was right.
 */
#include <amalgam/calls.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PROGRAM "floats"
#include "../../user/programs/must.h"

#define STACK  16384
#define IMAGE  512 /* bytes of the registers as they are stored here */
#define ROUNDS 50

static char stack[STACK] __attribute__((aligned(64)));
static uint32_t running;
unsigned char floats_found[IMAGE] __attribute__((aligned(64)));

#define FIRST   __attribute__((naked))
#define NOTHING __attribute__((unused)) void *nothing

/* The first instructions of a thread store all registers that arithmetic is done in; then it ends. */
#if defined(__x86_64__)
#define REGISTERS 256
FIRST static void look(NOTHING)
{
    __asm__(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
            "movaps %xmm\\n, floats_found + 16 * \\n(%rip)\n\t"
            ".endr\n\t"
            "call floats_end");
}
#elif defined(__i386__)
#define REGISTERS 80
FIRST static void look(NOTHING)
{
    __asm__("call 1f\n1:\tpop %eax\n\t"
            "lea floats_found - 1b(%eax), %eax\n\t"
            "fnsave 80(%eax)\n\t" /* the registers are behind 28 other bytes */
            "call floats_end");
}
#else
#define REGISTERS 256
FIRST static void look(NOTHING)
{
    __asm__("lla t0, floats_found\n\t"
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
            "fsd f\\n, 8 * \\n(t0)\n\t"
            ".endr\n\t"
            "call floats_end");
}
#endif

void floats_end(void);
__attribute__((used)) void floats_end(void)
{
#if defined(__i386__)
    memmove(floats_found, floats_found + 80 + 28, REGISTERS);
#endif
    amalgam_thread_exit(&running);
}

/* Leave something in as many registers as there are, and round upwards. */
static void litter(void *unused)
{
    (void)unused;
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
#if defined(__x86_64__)
    __asm__ volatile(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tpcmpeqd %%xmm\\n, %%xmm\\n\n\t.endr" ::
                         : "memory");
#elif defined(__i386__)
    __asm__ volatile("fldpi; fldpi; fldpi; fldpi" ::: "memory");
#else
    __asm__ volatile("li t0, 3\n\t"
                     ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
                     "fcvt.d.w f\\n, t0\n\t"
                     ".endr" ::
                         : "t0", "memory");
#endif
    amalgam_thread_exit(&running);
}

static void run(void (*entry)(void *))
{
    __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    /* The thread pointer is the caller's: neither thread uses variables. */
    RESULT(amalgam_thread_create(entry, stack + STACK - sizeof(void *) - (sizeof(void *) == 4 ? 16 : 0), NULL,
                                 (void *)pthread_self()));
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
        amalgam_wait(&running, 1, AMALGAM_NEVER);
}

static void registers(void)
{
    static const unsigned char zero[REGISTERS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        run(litter);
        memset(floats_found, 0x55, sizeof(floats_found));
        run(look);
        MUST(!memcmp(floats_found, zero, REGISTERS));
    }
}

static void *look_at_environment(void *arg)
{
    int *found = arg;
    found[0] = fegetround();
    found[1] = fetestexcept(FE_ALL_EXCEPT);
    return arg;
}

static void *round_upward(void *unused)
{
    struct timespec time = { 0, 20000000 };
    fesetround(FE_UPWARD);
    feraiseexcept(FE_OVERFLOW);
    nanosleep(&time, NULL);
    return unused;
}

/* A thread that begins where one has ended, and one that waits until it has. */
static void environment(int rounding, int raised)
{
    pthread_t first, second;
    pthread_attr_t queued;
    int found[2][2] = { 0 };
    fesetround(rounding);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(raised);
    pthread_attr_init(&queued);
    MUST(pthread_create(&first, NULL, round_upward, NULL) == 0 && pthread_join(first, NULL) == 0);
    MUST(pthread_create(&first, NULL, look_at_environment, found[0]) == 0 && pthread_join(first, NULL) == 0);
    pthread_attr_setqueued_np(&queued, 1);
    MUST(pthread_create(&first, &queued, round_upward, NULL) == 0);
    MUST(pthread_create(&second, &queued, look_at_environment, found[1]) == 0);
    MUST(pthread_join(first, NULL) == 0 && pthread_join(second, NULL) == 0);
    for (unsigned i = 0; i < 2; i++)
        MUST(found[i][0] == rounding && found[i][1] == raised);
}

int main(void)
{
    registers();
    environment(FE_TONEAREST, 0);
    environment(FE_DOWNWARD, FE_INEXACT);
    fesetround(FE_TONEAREST);
    printf("floats: right\n");
    return 0;
}
