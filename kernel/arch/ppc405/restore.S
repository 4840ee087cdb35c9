/* SPDX-License-Identifier: MIT */
/*
 * restore.S - shared ends of functions.
 *
 * With -Os the compiler jumps to _restgpr_N_x instead of restoring r31..rN, LR and r1 in each function (Power ABI for
 * 32 bits, 3.3.4). r11 is the old stack pointer.
 */
    .macro RESTORE n
    .globl  _restgpr_\n\()_x
_restgpr_\n\()_x:
    lwz     \n, (\n - 32) * 4(11)
    .endm
    /* Small kernels do not use these: the linker leaves this section out. */
    .section .text.restore_many, "ax"
    .irp    n, 14, 15, 16, 17, 18, 19, 20
    RESTORE \n
    .endr
    b       _restgpr_21_x

    .section .text.restore, "ax"
    .irp    n, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    RESTORE \n
    .endr
    .globl  _restgpr_31_x
_restgpr_31_x:
    lwz     0, 4(11)
    lwz     31, -4(11)
    mtlr    0
    mr      1, 11
    blr
