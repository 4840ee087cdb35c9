# SPDX-License-Identifier: MIT
needs := $(CONFIG_NATIVE_TASKS)
files-y := task.c
files-$(CONFIG_DYNAMIC) += task_destroy.c
