/* SPDX-License-Identifier: MIT */
/* records.h - the kinds' parts of records in a system image, to be written by tests. */
#ifndef TESTS_RECORDS_H
#define TESTS_RECORDS_H

#include <process/system_part.h>
#include <task/system_part.h>
#include <vm/system_part.h>

#define vm_record(d)      ((struct sys_vm *)(d)->part)
#define process_record(d) ((struct sys_process *)(d)->part)
#define task_record(d)    ((struct sys_task *)(d)->part)

#endif
