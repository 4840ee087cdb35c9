/* SPDX-License-Identifier: MIT */
/* entry.S - the first instruction of a program for OpenMP, and what stands in place of locked instructions. */
#include "../../native/entry.S"

/* Called in place of `lock orl $0, (%esp)`, a flush. Like that instruction it changes only the flags. */
    .text
    .globl omp_flush_here
    .type omp_flush_here, @function
omp_flush_here:
    push %eax
    push %ecx
    push %edx
    call omp_flush
    pop %edx
    pop %ecx
    pop %eax
    ret
    .size omp_flush_here, . - omp_flush_here

/* u32 omp_test_and_set(volatile u32 *word): the only locked instruction that a program may have. */
    .globl omp_test_and_set
    .type omp_test_and_set, @function
omp_test_and_set:
    mov 4(%esp), %edx
    mov $1, %eax
    xchg %eax, (%edx)
    ret
    .size omp_test_and_set, . - omp_test_and_set
