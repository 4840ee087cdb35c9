# SPDX-License-Identifier: MIT
needs := $(CONFIG_PROOF)
# Workloads: what is run, measured and provoked, and nothing that a system needs.
files-$(CONFIG_NATIVE_TASKS) += bench_switch.c fault_task.c jacobi_task.c
files-$(CONFIG_SVM) += bench_svm.c svm_litmus.c svm_pauses.c svm_task.c
files-$(CONFIG_SVM_MIGRATE) += bench_touch.c svm_publish.c svm_touch.c
dirs-$(CONFIG_MAIL) += mail
dirs-$(CONFIG_NATIVE_TASKS) += apps
dirs-$(CONFIG_SELFVIRT_TEST) += self
