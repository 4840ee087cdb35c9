/* SPDX-License-Identifier: MIT */
/* syscall.S - `sc` without hypercalls: it is always the guest's own system call. */
#include <arch/reflect.h>

VECTOR 0c00
    ENTER_LIGHT
    lwz     r29, REG_MSR(r1)
    mfsrr0  r28
    REFLECT addi, VEC_SC
    LEAVE_LIGHT
