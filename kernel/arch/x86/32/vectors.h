/* SPDX-License-Identifier: MIT */
/* vectors.h (32 bits) - the stubs that vectors begin with, for assembly files: VECTOR_RANGE label, from, last, to. */
    .altmacro
/* The processor pushes an error code for 8, 10 to 14 and 17; the others get 0. A number from 128 on has its sign above
 * it, so that a stub is short. */
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
