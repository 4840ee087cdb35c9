/* SPDX-License-Identifier: MIT */
/* context.c (RISC-V) - context.h: the registers that a function keeps (RISC-V psABI, 1.1 and 1.2), and fcsr. GP and TP
 * stay the thread's. */
#include "../lib/context.h"

#include <stddef.h>
#include <string.h>

#define REGISTERS 8 /* arguments in registers; the others are on the stack */
#if __riscv_xlen == 64
#define STORE "sd"
#define LOAD  "ld"
#define WORD  "8"
#define FS    "184"
#define FCSR  "280"
#else
#define STORE "sw"
#define LOAD  "lw"
#define WORD  "4"
#define FS    "96"
#define FCSR  "192"
#endif

#define WORDS(n) ((n) * sizeof(uintptr_t))
_Static_assert(offsetof(ucontext_t, uc_mcontext) == 0 && offsetof(mcontext_t, s) == WORDS(3) &&
                   offsetof(mcontext_t, arguments) == WORDS(15) &&
                   offsetof(mcontext_t, fs) == (sizeof(uintptr_t) == 8 ? 184 : 96) &&
                   offsetof(mcontext_t, fcsr) == (sizeof(uintptr_t) == 8 ? 280 : 192),
               "the offsets below");

/* Load or store registers s0 to s11 and fs0 to fs11; a0 points at the context. */
#define SAVED(word, floats)                                                                                            \
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11\n\t" word " s\\n, " WORD " * (3 + \\n)(a0)\n\t" floats " fs\\n, " FS            \
    " + 8 * \\n(a0)\n\t.endr\n\t"

/* Save what the caller has when this function has returned, with 0. */
#define SAVE                                                                                                           \
    STORE " ra, 0(a0)\n\t" STORE " ra, " WORD "(a0)\n\t" STORE " sp, " WORD " * 2(a0)\n\t" STORE " zero, " WORD        \
          " * 15(a0)\n\t" SAVED(STORE, "fsd") "frcsr t0\n\tsw t0, " FCSR "(a0)\n\t"

__attribute__((naked)) int getcontext(ucontext_t *to __attribute__((unused))) { __asm__(SAVE "tail context_got"); }

__attribute__((naked)) int swapcontext(ucontext_t *restrict to __attribute__((unused)),
                                       const ucontext_t *restrict from __attribute__((unused)))
{
    __asm__(SAVE "tail context_swap");
}

__attribute__((naked)) void context_load(const mcontext_t *from __attribute__((unused)))
{
    __asm__("lw t0, " FCSR "(a0)\n\tfscsr t0\n\t" SAVED(LOAD, "fld") LOAD
            " t0, 0(a0)\n\t" LOAD " ra, " WORD "(a0)\n\t" LOAD " sp, " WORD " * 2(a0)\n\t.irp n, 1,2,3,4,5,6,7\n\t" LOAD
            " a\\n, " WORD " * (15 + \\n)(a0)\n\t.endr\n\t" LOAD " a0, " WORD " * 15(a0)\n\tjr t0");
}

/* Where a context's function returns to: s1 has what follows it. */
__attribute__((naked)) static void finish(void) { __asm__("mv a0, s1\n\tcall context_finish\n\tunimp"); }

void context_begin(mcontext_t *context, char *end, void (*function)(void), const uintptr_t *arguments, unsigned n,
                   ucontext_t *link)
{
    unsigned above = n > REGISTERS ? n - REGISTERS : 0;
    uintptr_t *stack = (uintptr_t *)(((uintptr_t)end - WORDS(above)) & -16ul);
    memcpy(stack, arguments + (n - above), WORDS(above));
    memcpy(context->arguments, arguments, WORDS(n - above));
    context->sp = (uintptr_t)stack;
    context->pc = (uintptr_t)function;
    context->ra = (uintptr_t)finish;
    context->s[0] = 0; /* the frame pointer: ends a walk up the stack */
    context->s[1] = (uintptr_t)link;
}

__attribute__((naked)) void context_call(char *end __attribute__((unused)),
                                         void (*function)(void *) __attribute__((unused)),
                                         void *arg __attribute__((unused)))
{
    __asm__("addi sp, sp, -16\n\t" STORE " ra, 8(sp)\n\t" STORE " s0, 0(sp)\n\taddi s0, sp, 16\n\t"
            "andi sp, a0, -16\n\tmv a0, a2\n\tjalr a1\n\t"
            "addi sp, s0, -16\n\t" LOAD " ra, 8(sp)\n\t" LOAD " s0, 0(sp)\n\taddi sp, sp, 16\n\tret");
}
