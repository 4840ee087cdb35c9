/* SPDX-License-Identifier: MIT */
/* board/linux.h - a machine whose console, clock and reset belong to a Linux. */
#ifndef AMALGAM_BOARD_LINUX_H
#define AMALGAM_BOARD_LINUX_H

#include <types.h>

#include <api/attach.h>

/* Set the shared memory and the clock. At load. */
void board_linux_init(const struct attach_boot *boot);
/* Return the memory shared with Linux, from load on. */
paddr_t board_shared_base(void);
u64 board_shared_size(void);
/* A CPU is attached: from now on the doorbell to Linux may ring. */
void board_linux_attached(void);
/* The calling core leaves and its timers are cancelled: ring the doorbell now if one of them was to ring it. */
void board_linux_core_leaves(void);
/* Reset the machine, because Linux has crashed. */
__noreturn void board_reset(void);

#endif
