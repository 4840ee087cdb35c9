/* SPDX-License-Identifier: MIT */
/* stdlib.h - picolibc's, and clearenv() of glibc and musl. */
#ifndef AMALGAM_STDLIB_H
#define AMALGAM_STDLIB_H

#include_next <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#if __MISC_VISIBLE
int clearenv(void);
#endif
#if __XSI_VISIBLE
char *initstate(unsigned seed, char *state, size_t n);
char *setstate(char *state);
#endif

#ifdef __cplusplus
}
#endif

#endif
