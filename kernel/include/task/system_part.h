/* SPDX-License-Identifier: MIT */
/* task/system_part.h - a native task's part of its record in a system image (core/system_table.h). */
#ifndef AMALGAM_TASK_SYSTEM_PART_H
#define AMALGAM_TASK_SYSTEM_PART_H

#include <core/system_table.h>

struct sys_task {
    u64 program; /* index of the built-in task */
};

/* The part of a task's record. */
static inline const struct sys_task *sys_task(const struct sys_domain *d) { return (const void *)d->part; }

#endif
