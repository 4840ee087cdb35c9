/* SPDX-License-Identifier: MIT */
/* vectors.h (32 bits) - for assembly files: the first instructions of the vectors, and the way to C from the kernel
 * itself; VECTOR_RANGE and the table are for both widths. */
    .altmacro
/* The processor pushes an error code for vectors 8, 10 to 14 and 17; the others push 0. A vector from 128 on is
 * pushed as a signed byte, which keeps the code short. */
    .macro VECTOR name, n, to
\name\()\n:
    .if (\n != 8) && (\n != 10) && (\n != 11) && (\n != 12) && (\n != 13) && (\n != 14) && (\n != 17)
    push $0
    .endif
    .if \n < 128
    push $\n
    .else
    push $\n - 256
    .endif
    jmp \to
    .endm
#define VECTOR_WORD .long
#include "../vector_table.h"
/* Behind the vector's number: complete the struct trap_frame, call C and return. C functions take their first argument
 * in eax (-mregparm=3). */
    .macro TRAP_FROM_KERNEL
    pusha
    lea 52(%esp), %eax
    mov %eax, 12(%esp)          /* the interrupted stack pointer, struct trap_frame's esp */
    cld
    mov %esp, %eax
    call trap_dispatch
    .globl trap_return
trap_return:                    /* for backtrace.c: a struct trap_frame is above this return address */
    popa
    add $8, %esp
    iret
    .endm
