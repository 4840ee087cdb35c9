# SPDX-License-Identifier: MIT
files-y := bench_switch.c fault_task.c jacobi_task.c task.c
files-$(CONFIG_SVM) += bench_svm.c svm_litmus.c svm_pauses.c svm_task.c
files-$(CONFIG_SVM_MIGRATE) += bench_touch.c svm_publish.c svm_touch.c
files-$(CONFIG_DYNAMIC) += task_destroy.c
dirs-y := apps
