# SPDX-License-Identifier: MIT
files-y := bench_switch.c fault_task.c jacobi_task.c task.c
files-y += $(if $(CONFIG_SVM),apps_svm.c bench_svm.c svm_litmus.c svm_task.c,apps.c)
files-$(CONFIG_DYNAMIC) += task_destroy.c
dirs-y := apps
