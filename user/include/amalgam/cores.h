/* SPDX-License-Identifier: MIT */
/*
 * amalgam/cores.h - which cores of a cluster are awake, for a process of the cluster-spawn shape. In any other process
 * the call returns -ENOSYS. docs/manycore.md explains it.
 */
#ifndef AMALGAM_CORES_H
#define AMALGAM_CORES_H

#include <amalgam/calls.h>

#include "core_table.h"

/* What amalgam_core_state() returns. */
enum amalgam_core_state { AMALGAM_CORE_DARK, AMALGAM_CORE_WAITS, AMALGAM_CORE_AWAKE };

#endif
