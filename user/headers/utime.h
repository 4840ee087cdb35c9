/* SPDX-License-Identifier: MIT */
/* utime.h - picolibc's, and the function, which that lacks. */
#ifndef AMALGAM_UTIME_H
#define AMALGAM_UTIME_H

#include_next <utime.h>

#ifdef __cplusplus
extern "C" {
#endif

int utime(const char *path, const struct utimbuf *time);

#ifdef __cplusplus
}
#endif

#endif
