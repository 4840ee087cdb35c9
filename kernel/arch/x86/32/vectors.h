/* SPDX-License-Identifier: MIT */
/* vectors.h (32 bits) - for assembly files: the first instructions of the vectors (VECTOR_RANGE label, from, last, to),
 * their table, and the way to C from the kernel itself. */
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
    .macro VECTOR_RANGE name, from, last, to
    .set i, \from
    .rept \last - \from + 1
    VECTOR \name, %i, \to
    .set i, i + 1
    .endr
    .endm
/* What descriptors.c fills the IDT with: vectors 0-31 and 240-255. */
    .macro VECTOR_ENTRY n
    .long vector_\n
    .endm
    .macro VECTOR_ENTRIES from, last
    .set i, \from
    .rept \last - \from + 1
    VECTOR_ENTRY %i
    .set i, i + 1
    .endr
    .endm
    .macro VECTOR_TABLE
    .section .rodata
    .balign 4
    .globl vector_table
vector_table:
    VECTOR_ENTRIES 0, 31
    VECTOR_ENTRIES 240, 255
    .endm
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
