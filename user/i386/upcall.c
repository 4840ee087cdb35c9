/* SPDX-License-Identifier: MIT */
/* upcall.c (i386) - upcall.h: the state of x87 lies below the context. */
#include "../lib/upcall.h"

#include <string.h>

#include "../lib/thread.h"

#define X87          112    /* bytes: FNSAVE's 108, aligned */
#define CONTROL_WORD 0x37f  /* as after FNINIT */
#define EMPTY        0xffff /* tags of the eight registers */
#define FLAGS        0x202

struct amalgam_frame {
    uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax;
    uint32_t vector, error; /* no meaning here */
    uint32_t eip, cs, eflags, unused[3];
};

__attribute__((naked)) void signal_upcall(void)
{
    __asm__("mov %esp, %edx\n\t"
            "sub $112, %esp\n\t"
            "fnsave (%esp)\n\t"
            "push %edx\n\t"
            "push %eax\n\t"
            "call signal_handle\n\t"
            "ud2");
}

_Noreturn void signal_continue(struct amalgam_frame *frame)
{
    __asm__ volatile("frstor %c2(%1); int $0x80; ud2" ::"a"(AMALGAM_SIGNAL_RETURN), "b"(frame), "i"(-X87) : "memory");
    __builtin_unreachable();
}

struct amalgam_frame *amalgam_frame(void *end, void (*entry)(void *), void *arg)
{
    char *stack = thread_stack(end, arg);
    struct amalgam_frame *frame = (void *)(((uintptr_t)stack - sizeof(*frame)) & -16ul);
    uint32_t *x87 = (uint32_t *)((char *)frame - X87);
    memset(x87, 0, X87);
    x87[0] = CONTROL_WORD;
    x87[2] = EMPTY;
    *frame = (struct amalgam_frame){ .eip = (uintptr_t)entry, .esp = (uintptr_t)stack, .eflags = FLAGS };
    return frame;
}
