/* SPDX-License-Identifier: MIT */
/* children.h - what this process has started and not waited for. */
#ifndef AMALGAM_USER_CHILDREN_H
#define AMALGAM_USER_CHILDREN_H

#include <sys/types.h>

void children_add(pid_t child);

#endif
