/* SPDX-License-Identifier: MIT */
/* fpu.S - saves and restores f0 to f31 and fcsr: 33 double words at a0; or sets all of them to 0. */
    .option arch, +f, +d

    .macro ALL op
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \op f\n, 8 * \n(a0)
    .endr
    .endm

    .text
    .globl fpu_save
fpu_save:
    ALL fsd
    frcsr t0
    sw t0, 8 * 32(a0)
    ret

    .globl fpu_restore
fpu_restore:
    ALL fld
    lw t0, 8 * 32(a0)
    fscsr t0
    ret

    .globl fpu_clear
fpu_clear:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fcvt.d.w f\n, zero
    .endr
    fscsr zero
    ret

    .section .note.GNU-stack, "", @progbits
