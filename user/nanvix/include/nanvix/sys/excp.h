/* SPDX-License-Identifier: MIT */
/* nanvix/sys/excp.h - page faults that a thread of the program handles. Every function returns 0 or a negative error.
 */
#ifndef NANVIX_SYS_EXCP_H_
#define NANVIX_SYS_EXCP_H_

#include <nanvix/kernel/kernel.h>

/* Set whether an exception is handled or ignored. Page faults that are handled wait for a thread that calls
 * excp_pause(); for other exceptions this has no effect, and they end the process, as in Nanvix. EINVAL: no such
 * exception or action; EPERM: it shall be ignored, but a thread has called excp_pause(). */
extern int excp_ctrl(int excpnum, int action);
/* Wait for the next fault of another thread; `excp`, which may be NULL, gets it. From the first call on only this
 * thread may call it, until it ends. EBUSY: another thread has called it; EPERM: faults are not handled. */
extern int excp_pause(struct exception *excp);
/* Let the thread that faulted repeat its access. EINVAL: no fault is being handled. */
extern int excp_resume(void);

#endif
