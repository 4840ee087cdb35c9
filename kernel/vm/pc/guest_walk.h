/* SPDX-License-Identifier: MIT */
/*
 * guest_walk.h - translates guest-virtual addresses by the guest's own page tables.
 *
 * Control registers and privilege level are read from the vCPU's struct guest_cpu. The tables are read through
 * guest_ptr(), so a table outside the guest's RAM is a miss. A translation takes at most five loads. Accessed and dirty
 * bits are not set: the processor has set them for the access that exited.
 */
#ifndef AMALGAM_VM_PC_GUEST_WALK_H
#define AMALGAM_VM_PC_GUEST_WALK_H

#include <vm/vm.h>

/* Return the guest-physical address, or NO_GPA: not present, not permitted, or broken tables. */
gpa_t guest_walk(const struct vcpu *v, u64 va, bool write);
#define NO_GPA (~0ul)

/* Return a pointer to guest-virtual memory at `va`; *len becomes at most the bytes up to the page's end. NULL: a
 * miss, or no RAM. */
void *guest_part(const struct vcpu *v, u64 va, bool write, unsigned *len);
/*
 * Copy between `buf` and guest-virtual `va` (`write`: from `buf`), page by page. Returns the number of bytes copied,
 * fewer than `len` if a page is a miss or not RAM.
 */
unsigned guest_copy(const struct vcpu *v, u64 va, void *buf, unsigned len, bool write);

#endif
