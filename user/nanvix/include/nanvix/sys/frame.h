/* SPDX-License-Identifier: MIT */
/* nanvix/sys/frame.h - frames: pages of the process's memory that have a number, and need not be mapped (page_map). */
#ifndef NANVIX_SYS_FRAME_H_
#define NANVIX_SYS_FRAME_H_

#include <nanvix/kernel/kernel.h>

/* Allocate a frame of zeros. Returns its number, the lowest free one from frame_id_to_num(0) on, or FRAME_NULL: the
 * process has no more memory, or NUM_UFRAMES of them. */
extern frame_t kframe_alloc(void);
/* Free a frame; its memory is free when no page maps it, either. Returns 0; -EINVAL: that is no frame's number;
 * -EFAULT: the frame is not allocated. */
extern int kframe_free(frame_t frame);

#endif
