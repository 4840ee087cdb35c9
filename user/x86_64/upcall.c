/* SPDX-License-Identifier: MIT */
/* upcall.c (x86-64) - upcall.h: the state of x87 and SSE lies below the context. What AVX adds to it is not saved, so a
 * handler has no instruction of AVX. */
#include "../lib/upcall.h"

#include <string.h>

#include "../lib/thread.h"

#define EXTENDED     512    /* bytes of FXSAVE */
#define CONTROL_WORD 0x37f  /* of x87, as after FNINIT */
#define MXCSR        0x1f80 /* as after reset */
#define FLAGS        0x202

struct amalgam_frame {
    uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
    uint64_t vector, error; /* no meaning here */
    uint64_t rip, cs, rflags, rsp, ss;
};

__attribute__((naked)) void signal_upcall(void)
{
    __asm__("mov %rsp, %rsi\n\t"
            "sub $512, %rsp\n\t"
            "fxsave64 (%rsp)\n\t"
            "fninit\n\t"
            "call signal_handle\n\t"
            "ud2");
}

_Noreturn void signal_continue(struct amalgam_frame *frame)
{
    __asm__ volatile("fxrstor64 %c2(%1); syscall; ud2" ::"a"((uint64_t)AMALGAM_SIGNAL_RETURN), "D"(frame),
                     "i"(-EXTENDED)
                     : "memory");
    __builtin_unreachable();
}

struct amalgam_frame *amalgam_frame(void *end, void (*entry)(void *), void *arg)
{
    char *stack = thread_stack(end, arg);
    struct amalgam_frame *frame = (void *)(((uintptr_t)stack - sizeof(*frame)) & -16ul);
    char *extended = (char *)frame - EXTENDED;
    memset(extended, 0, EXTENDED);
    *(uint16_t *)extended = CONTROL_WORD;
    *(uint32_t *)(extended + 24) = MXCSR;
    *frame = (struct amalgam_frame){
        .rip = (uintptr_t)entry, .rdi = (uintptr_t)arg, .rsp = (uintptr_t)stack, .rflags = FLAGS
    };
    return frame;
}
