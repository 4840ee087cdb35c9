# SPDX-License-Identifier: MIT
# The fake machine (tests/host/host.h) and the parts of core/ that run threads on it, for tests that want them.
HOST_SRC := tests/host/host.c
CORE_SRC := $(HOST_SRC) $(addprefix kernel/core/,sched.c sched_wake.c window.c timer.c timer_set.c thread.c hurry.c wait.c irq.c frames.c \
            log.c console.c console_ring.c console_text.c trace.c) kernel/lib/string.c

# A VM's virtio devices, with the switch and a fake VM, for tests that add where frames go from there.
VIRTIO_SRC := $(addprefix kernel/vm/virtio/,mmio.c queue.c console.c block.c net.c rng.c) $(addprefix kernel/net/,switch.c ports.c) \
              tests/host/fake_vm.c

# Tests that count instructions (tests/host/stretch.h) are compiled as the kernel is, without sanitizers.
STRETCH_CFLAGS := -DNO_LOCK_ORDER -fno-sanitize=all -Oz -fno-inline-small-functions -fno-tree-forwprop -fconserve-stack -fno-thread-jumps \
    -fno-tree-dominator-opts -fno-tree-pre -fno-tree-loop-im -fno-tree-ch -fno-ipa-sra -fno-code-hoisting -fno-move-loop-invariants \
    -fno-caller-saves -fomit-frame-pointer -fno-strict-aliasing -fno-jump-tables -mgeneral-regs-only -fno-builtin-memcpy
