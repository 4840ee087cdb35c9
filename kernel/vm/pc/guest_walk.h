/* SPDX-License-Identifier: MIT */
/*
 * guest_walk.h - guest-virtual to guest-physical, as the guest's own page tables say.
 *
 * Control registers and privilege level are those in the vCPU's control block. Reads the tables through
 * guest_ptr(), so a table outside the guest's RAM is a miss.  At most five loads for each page.  Accessed and
 * dirty bits are left alone: the processor has set them for the access that brought us here.
 */
#ifndef AMALGAM_VM_PC_GUEST_WALK_H
#define AMALGAM_VM_PC_GUEST_WALK_H

#include <vm/vm.h>

/* The guest-physical address; NO_GPA: not present, not permitted, or the tables are broken. */
gpa_t guest_walk(const struct vcpu *v, u64 va, bool write);
#define NO_GPA (~0ul)

/* The bytes of guest-virtual memory from `va` to its page's end, at most *len; NULL: a miss, or no RAM. */
void *guest_part(const struct vcpu *v, u64 va, bool write, unsigned *len);
/*
 * Copy between `buf` and guest-virtual `va` (`write`: from `buf`), page by page. Returns the bytes copied,
 * fewer than `len` where a page misses or is not RAM.
 */
unsigned guest_copy(const struct vcpu *v, u64 va, void *buf, unsigned len, bool write);

#endif
