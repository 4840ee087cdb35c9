/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/kernel.h - the headers that every header of nanvix/sys/ includes. */
#ifndef NANVIX_KERNEL_H_
#define NANVIX_KERNEL_H_

#include <nanvix/hal.h>
#include <nanvix/hlib.h>
#include <nanvix/kernel/excp.h>
#include <nanvix/kernel/mm.h>
#include <nanvix/kernel/noc.h>
#include <nanvix/kernel/signal.h>
#include <nanvix/kernel/syscall.h>
#include <nanvix/kernel/thread.h>
#include <posix/errno.h>

#endif
