/* SPDX-License-Identifier: MIT */
/* sys/random.h - getrandom() as Linux has it, and getentropy() of POSIX 2024. On a machine whose processor has no
 * random numbers, and whose kernel was given none, both fail with ENOSYS. */
#ifndef AMALGAM_SYS_RANDOM_H
#define AMALGAM_SYS_RANDOM_H

#include <sys/types.h>

#define GRND_NONBLOCK 1
#define GRND_RANDOM   2

#ifdef __cplusplus
extern "C" {
#endif
ssize_t getrandom(void *to, size_t n, unsigned flags);
int getentropy(void *to, size_t n);
#ifdef __cplusplus
}
#endif
#endif
