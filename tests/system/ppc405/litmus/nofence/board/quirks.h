/* SPDX-License-Identifier: MIT */
/* board/quirks.h for the negative control: the chip's fence, which QEMU does not pass on to the host. */
#ifndef AMALGAM_BOARD_QUIRKS_H
#define AMALGAM_BOARD_QUIRKS_H

#define QUIRK_FENCE() __asm__ volatile("sync" ::: "memory")

#endif
