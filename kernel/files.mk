# SPDX-License-Identifier: MIT
# A shape that hosts partitions only has a core of its own: no threads.
dirs-y := $(if $(CONFIG_PARTITIONS),partition,core) lib arch/$(ARCH) board/$(BOARD)
dirs-$(CONFIG_NATIVE_TASKS) += task
# What is run and measured, and no system needs.
dirs-$(CONFIG_PROOF) += proof
dirs-$(CONFIG_PROCESS) += process
dirs-$(if $(CONFIG_SCC),$(CONFIG_PROCESS)) += chip
dirs-$(CONFIG_HANDLE) += handle
dirs-$(CONFIG_NATIVE_PROGRAMS) += native
dirs-$(CONFIG_SELFVIRT) += attach/self
dirs-$(CONFIG_MAILBOX) += mailbox
dirs-$(CONFIG_SVM) += svm
dirs-$(CONFIG_CLUSTER) += cluster
# Linux above us.
dirs-$(CONFIG_ATTACH) += attach
dirs-$(CONFIG_IPC) += ipc
# Guests, and the folders of the machine that they see.
dirs-$(CONFIG_VM) += $(if $(CONFIG_PARTITIONS),,vm net) $(arch-vm)
