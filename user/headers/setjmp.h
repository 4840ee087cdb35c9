/* SPDX-License-Identifier: MIT */
/* setjmp.h - picolibc's, and POSIX' jumps that take the mask of signals with them. */
#ifndef AMALGAM_SETJMP_H
#define AMALGAM_SETJMP_H

#include_next <setjmp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    jmp_buf registers;
    int has_mask;
    unsigned long mask; /* sigset_t */
} sigjmp_buf[1];

void amalgam_save_mask(sigjmp_buf to, int also_mask);
#define sigsetjmp(to, also_mask) (amalgam_save_mask(to, also_mask), setjmp((to)->registers))
__attribute__((noreturn)) void siglongjmp(sigjmp_buf to, int value);

#define _setjmp(to)         setjmp(to)
#define _longjmp(to, value) longjmp(to, value)

#ifdef __cplusplus
}
#endif
#endif
