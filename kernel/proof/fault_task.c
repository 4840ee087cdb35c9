/* SPDX-License-Identifier: MIT */
/*
 * fault_task.c - makes errors in kernel code, to show that only its own domain ends: one task reads an unmapped
 * address, another overflows its stack.
 */
#include <task/task.h>

static __attribute__((noinline)) unsigned outgrow(volatile unsigned depth)
{
    if (task_stopping())
        return depth;
    return outgrow(depth + 1) + depth;
}

static void read_nowhere(struct task *t, unsigned which)
{
    (void)which;
    task_print(t, "fault: read %u\n", *(volatile u32 *)PAGE_SIZE);
}

static void outgrow_stack(struct task *t, unsigned which) { task_print(t, "overflow: depth %u\n", outgrow(which)); }

TASK_APP(fault, .number = APP_FAULT, .name = "fault", .run = read_nowhere);
TASK_APP(overflow, .number = APP_OVERFLOW, .name = "overflow", .run = outgrow_stack);
