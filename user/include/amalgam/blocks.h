/* SPDX-License-Identifier: MIT */
/*
 * amalgam/blocks.h - ranges of a disk's blocks as handles, besides amalgam/devices.h. docs/devices.md explains them. In
 * a kernel without these each call returns -ENOSYS.
 */
#ifndef AMALGAM_BLOCKS_H
#define AMALGAM_BLOCKS_H

#include <amalgam/handle.h>

#include "blocks_table.h"

#endif
