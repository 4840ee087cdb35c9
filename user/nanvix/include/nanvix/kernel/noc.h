/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/noc.h - words of the network between clusters. */
#ifndef NANVIX_KERNEL_NOC_H_
#define NANVIX_KERNEL_NOC_H_

#include <nanvix/hal.h>

#define COMM_TYPE_MAILBOX 0
#define COMM_TYPE_PORTAL  1

#endif
