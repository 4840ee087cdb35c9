/* SPDX-License-Identifier: MIT */
/*
 * amalgam/remote.h - semaphores that the master core of a cluster has, for a process of the cluster-remote shape. In
 * any other process each of these calls returns -ENOSYS. docs/manycore.md explains them.
 */
#ifndef AMALGAM_REMOTE_H
#define AMALGAM_REMOTE_H

#include <amalgam/calls.h>

#include "remote_table.h"

#endif
