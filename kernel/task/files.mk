# SPDX-License-Identifier: MIT
files-y := task.c
files-$(CONFIG_DYNAMIC) += task_destroy.c
