/* SPDX-License-Identifier: MIT */
/*
 * amalgam/scc.h - the system calls of a process on an SCC besides those of amalgam/calls.h: messages to the same
 * process on other cores. In any other process each of them returns -ENOSYS. docs/scc.md explains them.
 */
#ifndef AMALGAM_SCC_H
#define AMALGAM_SCC_H

#include <amalgam/calls.h>

#include "scc_table.h"

/* The first argument of amalgam_mail_send_sync(): the receiver's core, the number of bytes, and how to wait
 * (AMALGAM_MAIL_RECEIVE_...). */
#define AMALGAM_MAIL_TO(core, n, how) ((unsigned)(how) << 16 | (unsigned)(core) << 8 | (unsigned)(n))

#endif
