/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/excp.h - the actions of excp_ctrl(). */
#ifndef NANVIX_KERNEL_EXCP_H_
#define NANVIX_KERNEL_EXCP_H_

#include <nanvix/hal.h>

#define EXCP_ACTION_IGNORE 0
#define EXCP_ACTION_HANDLE 1

#define exception_is_valid(x) WITHIN(x, 0, EXCEPTIONS_NUM)

#endif
