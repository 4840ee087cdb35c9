/* SPDX-License-Identifier: MIT */
/*
 * upcall.c (x86-64) - upcall.h: the extended state lies below the context, at a multiple of 64: that of x87 and SSE,
 * and what AVX and AVX-512 add to it if the processor has them. The kernel enables all that there is (XCR0), so a
 * program may use it; XSAVE saves it where there is XSAVE, else FXSAVE what there is then.
 */
#include "../lib/upcall.h"

#include <cpuid.h>
#include <string.h>

#include "../lib/thread.h"

#define LEGACY       512u       /* bytes of FXSAVE */
#define HEADER       64u        /* behind them: XSAVE's, of which it writes the first 8 */
#define FEATURES     0xe7u      /* of XCR0: x87, SSE, AVX, AVX-512 */
#define OSXSAVE      (1u << 27) /* CPUID 1, ECX */
#define LEAF_XSAVE   0xdu
#define CONTROL_WORD 0x37f  /* of x87, as after FNINIT */
#define MXCSR        0x1f80 /* as after reset */
#define FLAGS        0x202

struct amalgam_frame {
    uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
    uint64_t vector, error; /* no meaning here */
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Bytes of the extended state, and the features of it that are saved; 0: by FXSAVE. */
uint64_t signal_extended = LEGACY;
uint32_t signal_features;

/* Each feature has its place in the standard form of XSAVE's area. */
__attribute__((constructor)) static void find_extended(void)
{
    uint32_t a, b, c = 0, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    signal_features = a & FEATURES;
    signal_extended = LEGACY + HEADER;
    for (uint32_t i = 2; signal_features >> i; i++) {
        uint32_t size, at;
        __cpuid_count(LEAF_XSAVE, i, size, at, c, d);
        if (signal_features >> i & 1 && at + size > signal_extended)
            signal_extended = at + size;
    }
}

__attribute__((naked)) void signal_upcall(void)
{
    __asm__("mov %rsp, %rsi\n\t"
            "sub signal_extended(%rip), %rsp\n\t"
            "and $-64, %rsp\n\t"
            "mov signal_features(%rip), %eax\n\t"
            "test %eax, %eax\n\t"
            "jz 1f\n\t"
            "xor %edx, %edx\n\t"
            "lea 512(%rsp), %rcx\n\t"
            "mov %rdx, (%rcx)\n\t" /* the header: XRSTOR wants zeros behind the first word */
            "mov %rdx, 8(%rcx)\n\t"
            "mov %rdx, 16(%rcx)\n\t"
            "mov %rdx, 24(%rcx)\n\t"
            "mov %rdx, 32(%rcx)\n\t"
            "mov %rdx, 40(%rcx)\n\t"
            "mov %rdx, 48(%rcx)\n\t"
            "mov %rdx, 56(%rcx)\n\t"
            "xsave64 (%rsp)\n\t"
            "jmp 2f\n"
            "1:\tfxsave64 (%rsp)\n"
            "2:\tfninit\n\t"
            "cld\n\t"
            "call signal_handle\n\t"
            "ud2");
}

static inline char *extended_of(struct amalgam_frame *frame)
{
    return (char *)(((uintptr_t)frame - signal_extended) & -64ul);
}

_Noreturn void signal_continue(struct amalgam_frame *frame)
{
    char *extended = extended_of(frame);
    if (signal_features)
        __asm__ volatile("xrstor64 (%0)" ::"r"(extended), "a"(signal_features), "d"(0) : "memory");
    else
        __asm__ volatile("fxrstor64 (%0)" ::"r"(extended) : "memory");
    __asm__ volatile("syscall; ud2" ::"a"((uint64_t)AMALGAM_SIGNAL_RETURN), "D"(frame) : "memory");
    __builtin_unreachable();
}

struct amalgam_frame *amalgam_frame(void *end, void (*entry)(void *), void *arg)
{
    char *stack = thread_stack(end, arg);
    struct amalgam_frame *frame = (void *)(((uintptr_t)stack - sizeof(*frame)) & -16ul);
    char *extended = extended_of(frame);
    memset(extended, 0, signal_extended);
    *(uint16_t *)extended = CONTROL_WORD;
    *(uint32_t *)(extended + 24) = MXCSR;
    *frame = (struct amalgam_frame){
        .rip = (uintptr_t)entry, .rdi = (uintptr_t)arg, .rsp = (uintptr_t)stack, .rflags = FLAGS
    };
    return frame;
}
