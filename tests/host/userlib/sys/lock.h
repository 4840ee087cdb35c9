/* SPDX-License-Identifier: MIT */
/* sys/lock.h (host) - picolibc's type of a lock, which user/lib/lock.c defines. */
#ifndef AMALGAM_HOST_SYS_LOCK_H
#define AMALGAM_HOST_SYS_LOCK_H

typedef struct __lock *_LOCK_T;

#endif
