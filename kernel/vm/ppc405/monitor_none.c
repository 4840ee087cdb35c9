/* SPDX-License-Identifier: MIT */
/* monitor_none.c - instead of monitor.c where there is no CONFIG_HEALTH. */
#include <core/partition.h>
#include <errors.h>
#include <generated/api_calls.h>

s32 api_vm_info(struct vm *caller, u32 vm, u32 field, u32 unused0) { return -ENOSYS; }
s32 api_window_info(struct vm *caller, u32 field, u32 unused0, u32 unused1) { return -ENOSYS; }
s32 api_event_read(struct vm *caller, u32 vm, u32 index, u32 event) { return -ENOSYS; }
s32 api_plan_set(struct vm *caller, u32 plan, u32 unused0, u32 unused1) { return -ENOSYS; }
s32 api_vm_control(struct vm *caller, u32 vm, u32 action, u32 unused0) { return -ENOSYS; }
