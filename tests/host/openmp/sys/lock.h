/* SPDX-License-Identifier: MIT */
/* sys/lock.h (host) - picolibc's name of its lock, and what is called before it is defined. */
#ifndef AMALGAM_TESTS_SYS_LOCK_H
#define AMALGAM_TESTS_SYS_LOCK_H

typedef struct __lock *_LOCK_T;
void __retarget_lock_acquire_recursive(_LOCK_T lock);
void __retarget_lock_release_recursive(_LOCK_T lock);

#endif
