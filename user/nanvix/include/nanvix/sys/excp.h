/* SPDX-License-Identifier: MIT */
/* nanvix/sys/excp.h - exceptions that a thread of the program handles. Every function returns -ENOSYS: the kernel has
 * none. */
#ifndef NANVIX_SYS_EXCP_H_
#define NANVIX_SYS_EXCP_H_

#include <nanvix/kernel/kernel.h>

/* EINVAL before: no such exception or action. */
extern int excp_ctrl(int excpnum, int action);
extern int excp_pause(struct exception *excp);
extern int excp_resume(void);

#endif
