/* SPDX-License-Identifier: MIT */
/* nanvix/sys/excp.h - page faults that a thread of the program handles. Every function returns 0 or a negative error.
 */
#ifndef NANVIX_SYS_EXCP_H_
#define NANVIX_SYS_EXCP_H_

#include <nanvix/kernel/kernel.h>

/* EINVAL: no such exception or action; ENOSYS: another one than EXCEPTION_PAGE_FAULT; EPERM: to be ignored, but a
 * thread has paused for them. */
extern int excp_ctrl(int excpnum, int action);
/* Handle the next fault of another thread, for which the caller waits; `excp` may be NULL. From the first call until it
 * ends the caller is the only one: EBUSY. EPERM: they are not handled. */
extern int excp_pause(struct exception *excp);
/* Let the thread do again what it did. EINVAL: no fault is being handled. */
extern int excp_resume(void);

#endif
