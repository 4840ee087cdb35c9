/* SPDX-License-Identifier: MIT */
/* nanvix/sys/excp.h - page faults that a thread of the program handles. Every function returns 0 or a negative error.
 */
#ifndef NANVIX_SYS_EXCP_H_
#define NANVIX_SYS_EXCP_H_

#include <nanvix/kernel/kernel.h>

/* Set whether an exception is handled or ignored. EINVAL: no such exception or action; ENOSYS: it is not
 * EXCEPTION_PAGE_FAULT; EPERM: it shall be ignored, but a thread has called excp_pause(). */
extern int excp_ctrl(int excpnum, int action);
/* Wait for the next fault of another thread; `excp`, which may be NULL, gets it. From the first call on only this
 * thread may call it, until it ends. EBUSY: another thread has called it; EPERM: faults are not handled. */
extern int excp_pause(struct exception *excp);
/* Let the thread that faulted repeat its access. EINVAL: no fault is being handled. */
extern int excp_resume(void);

#endif
