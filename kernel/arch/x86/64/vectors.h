/* SPDX-License-Identifier: MIT */
/* vectors.h - entry stubs of vectors, for assembly files; VECTOR_RANGE and the table are for both widths. */
    .altmacro
/*
 * Push the vector in two bytes (from 128 on as a negative number) and jump to `to`, which is near. An interrupt may
 * have the vector, from 16 on, of an exception that pushes an error code, but pushes none. The processor aligns the
 * stack to 16 at the entry (APM vol. 2, 8.9.3), so the stack's alignment tells.
 */
    .macro VECTOR name, n, to
\name\()\n:
    .if (\n == 17) || (\n == 21) || (\n == 29) || (\n == 30)
    test $8, %spl
    jz 1f
    push $0
1:
    .endif
    .if (\n != 8) && (\n != 10) && (\n != 11) && (\n != 12) && (\n != 13) && (\n != 14) && (\n != 17) && (\n != 21) && (\n != 29) && (\n != 30)
    push $0
    .endif
    .if \n < 128
    push $\n
    .else
    push $\n - 256
    .endif
    jmp \to
    .endm
#define VECTOR_WORD .quad
#include "../vector_table.h"
