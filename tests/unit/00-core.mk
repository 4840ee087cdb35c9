# SPDX-License-Identifier: MIT
# The fake machine (tests/host/host.h) and the parts of core/ that run threads on it, for tests that want them.
HOST_SRC := tests/host/host.c
CORE_SRC := $(HOST_SRC) $(addprefix kernel/core/,sched.c sched_wake.c window.c timer.c thread.c wait.c irq.c frames.c \
            log.c console.c console_ring.c console_text.c trace.c) kernel/lib/string.c
