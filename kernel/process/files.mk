# SPDX-License-Identifier: MIT
files-y := arguments.c call.c copy.c frame_calls.c frames.c map.c pager.c pool.c process.c program.c run.c wait.c \
           waiters.c
files-$(CONFIG_IPC) += tunnel.c
files-$(CONFIG_SCC) += chip.c
files-$(CONFIG_DYNAMIC) += process_destroy.c
fast-y := call.c copy.c run.c
