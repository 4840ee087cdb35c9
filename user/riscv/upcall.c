/* SPDX-License-Identifier: MIT */
/* upcall.c (RISC-V) - upcall.h: the floating-point registers and their status lie below the context. */
#include "../lib/upcall.h"

#include <string.h>

#include "../lib/thread.h"

#define FLOATS 272 /* bytes: 32 of 8, fcsr, aligned */

enum { GP = 3, TP = 4, SP = 2, A0 = 10 };

struct amalgam_frame {
    uintptr_t x[32]; /* by register number; x[0] is the program counter */
};

#define EACH(op, at)                                                                                                   \
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t" op             \
    " f\\n, 8 * \\n - " at "\n\t.endr\n\t"

__attribute__((naked)) void signal_upcall(void)
{
    __asm__("mv a1, sp\n\t" EACH("fsd", "272(a1)") "frcsr t0\n\t"
                                                   "sw t0, -16(a1)\n\t"
                                                   "addi sp, sp, -272\n\t"
                                                   "call signal_handle\n\t"
                                                   "unimp");
}

_Noreturn void signal_continue(struct amalgam_frame *frame)
{
    register uintptr_t a0 __asm__("a0") = (uintptr_t)frame, a7 __asm__("a7") = AMALGAM_SIGNAL_RETURN;
    __asm__ volatile(EACH("fld", "272(a0)") "lw t0, -16(a0)\n\t"
                                            "fscsr t0\n\t"
                                            "ecall\n\t"
                                            "unimp" ::"r"(a0),
                     "r"(a7)
                     : "memory");
    __builtin_unreachable();
}

struct amalgam_frame *amalgam_frame(void *end, void (*entry)(void *), void *arg)
{
    uintptr_t stack = (uintptr_t)thread_stack(end, arg);
    struct amalgam_frame *frame = (void *)(stack - sizeof(*frame));
    memset((char *)frame - FLOATS, 0, FLOATS + sizeof(*frame));
    frame->x[0] = (uintptr_t)entry;
    frame->x[SP] = stack;
    frame->x[A0] = (uintptr_t)arg;
    __asm__("mv %0, gp; mv %1, tp" : "=r"(frame->x[GP]), "=r"(frame->x[TP]));
    return frame;
}
