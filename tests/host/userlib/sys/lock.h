/* SPDX-License-Identifier: MIT */
/* sys/lock.h (host) - picolibc's type of a lock, which user/lib/lock.c defines. */
#ifndef AMALGAM_HOST_SYS_LOCK_H
#define AMALGAM_HOST_SYS_LOCK_H

typedef struct __lock *_LOCK_T;
extern struct __lock __lock___libc_recursive_mutex;
void __retarget_lock_acquire_recursive(_LOCK_T lock);
void __retarget_lock_release_recursive(_LOCK_T lock);

#define __LIBC_LOCK()   __retarget_lock_acquire_recursive(&__lock___libc_recursive_mutex)
#define __LIBC_UNLOCK() __retarget_lock_release_recursive(&__lock___libc_recursive_mutex)

#endif
