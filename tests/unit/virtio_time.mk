# SPDX-License-Identifier: MIT
# Counts instructions: compiled as the kernel is, with its way of copying, without sanitizers.
TESTS += virtio_time
virtio_time_SRC := $(split_devices_SRC) kernel/arch/x86/cpu/memops.c
virtio_time_CFLAGS := -fno-sanitize=all -Oz -fno-inline-small-functions -fno-tree-forwprop -fconserve-stack -fno-thread-jumps \
    -fno-tree-dominator-opts -fno-tree-pre -fno-tree-loop-im -fno-tree-ch -fno-ipa-sra -fno-code-hoisting -fno-move-loop-invariants \
    -fno-caller-saves -fomit-frame-pointer -fno-strict-aliasing -fno-jump-tables -mgeneral-regs-only -fno-builtin-memcpy
