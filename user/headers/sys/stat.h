/* SPDX-License-Identifier: MIT */
/* sys/stat.h - picolibc's, and what it has for other systems only. */
#ifndef AMALGAM_SYS_STAT_H
#define AMALGAM_SYS_STAT_H

#include_next <sys/stat.h>

#if __POSIX_VISIBLE >= 200809
#undef UTIME_NOW
#undef UTIME_OMIT
#define UTIME_NOW  (-2L)
#define UTIME_OMIT (-1L)
#endif

#ifdef __cplusplus
extern "C" {
#endif

int lstat(const char *__restrict path, struct stat *__restrict s);

#ifdef __cplusplus
}
#endif

#endif
