/* SPDX-License-Identifier: MIT */
/* vectors.h (32 bits) - for assembly files: the first instructions of the vectors. VECTOR_RANGE label, from, last,
 * to. */
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
