/* SPDX-License-Identifier: MIT */
/* partition/pt.h - access to the partition table in memory (partition/table.h), and its check. */
#ifndef AMALGAM_PARTITION_PT_H
#define AMALGAM_PARTITION_PT_H

#include <partition/table.h>

static inline const struct pt_header *pt(void) { return (const struct pt_header *)(uintptr_t)PT_ADDRESS; }
#define PT_AT(type, offset) ((const type *)(uintptr_t)(PT_ADDRESS + (offset)))
static inline const struct pt_vm *pt_vms(void) { return PT_AT(struct pt_vm, pt()->off_vms); }
static inline const struct pt_frame *pt_frames(void) { return PT_AT(struct pt_frame, pt()->off_frames); }
static inline const struct pt_window *pt_windows(void) { return PT_AT(struct pt_window, pt()->off_windows); }
static inline const struct pt_segment *pt_segments(void) { return PT_AT(struct pt_segment, pt()->off_segments); }
static inline const struct pt_tunnel *pt_tunnels(void) { return PT_AT(struct pt_tunnel, pt()->off_tunnels); }

/* Check the table. Returns 0, or what is wrong: 1 no table of this version, 2 damaged, 3 arrays, 0x100 + n VM n,
 * 0x200 + n frame n, 0x300 + n tunnel n. */
int table_check(void);
int table_records_check(void); /* the part of the check that does not trust the host's compiler */

#endif
