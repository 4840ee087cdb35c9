/* SPDX-License-Identifier: MIT */
/* board/linux.h - a machine whose console, clock and reset button are a Linux's. */
#ifndef AMALGAM_BOARD_LINUX_H
#define AMALGAM_BOARD_LINUX_H

#include <types.h>

#include <api/attach.h>

/* At load: where the shared memory is, what time it is. */
void board_linux_init(const struct attach_boot *boot);
/* The memory shared with it, from load on. */
paddr_t board_shared_base(void);
u64 board_shared_size(void);
/* A CPU is attached: from now on the doorbell to Linux rings. */
void board_linux_attached(void);
/* Linux fell over: the machine begins anew. */
__noreturn void board_reset(void);

#endif
