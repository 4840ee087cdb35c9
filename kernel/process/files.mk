# SPDX-License-Identifier: MIT
needs := $(CONFIG_PROCESS)
calls-y := process
files-y := arguments.c call.c copy.c flush.c frame_calls.c frames.c lazy.c map.c pager.c part.c pool.c process.c program.c run.c signal.c \
           space_map.c wait.c waiters.c
files-y += $(if $(CONFIG_PROCESS_WATCHDOG),watchdog.c,nowatchdog.c)
files-y += $(if $(arch-kept),fast_kept.c,fast.c)
files-y += $(if $(CONFIG_IPC),,tunnel_none.c)
files-$(if $(CONFIG_HANDLE),y,$(if $(CONFIG_NO_ENGINE),,$(CONFIG_CLUSTER))) += pin.c
files-$(CONFIG_PAGES_64K) += medium.c
files-$(CONFIG_SEED) += seed.c
files-$(CONFIG_DYNAMIC) += process_destroy.c
fast-y := call.c copy.c run.c $(if $(arch-kept),fast_kept.c,fast.c)
nolto-$(if $(arch-kept),y) += fast_kept.c
kept-$(if $(arch-kept),y) += fast_kept.c
fast-$(CONFIG_CLUSTER) += pin.c
files-y += $(if $(and $(filter x86,$(ARCH)),$(CONFIG_64BIT)),,word.c)
# Where a call blocks on the way in (USER_FAST_MAY_BLOCK), these are on that way.
fast-$(if $(filter x86,$(ARCH)),$(CONFIG_64BIT)) += wait.c waiters.c
defines-$(CONFIG_SEED) += SEED=1
