/* SPDX-License-Identifier: MIT */
/* children.h - what this process has started and not waited for. */
#ifndef AMALGAM_USER_CHILDREN_H
#define AMALGAM_USER_CHILDREN_H

#include <sys/types.h>

/* With the lock of the process's files, under which it was started, too: waitpid() finds it at once. */
void children_add(pid_t child);

#endif
