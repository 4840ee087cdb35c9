/* SPDX-License-Identifier: MIT */
/*
 * hal/memory.h - physical memory as the kernel accesses it, and guests' address spaces.
 *
 * All RAM is in a linear window that is never executable and in which the kernel's own text is read-only.
 * phys_to_virt() and virt_to_phys() (inline in <arch/memory.h>) convert. A `struct stage2` is a guest-physical address
 * space. It is filled when a domain is created, never at a guest's request.
 */
#ifndef AMALGAM_HAL_MEMORY_H
#define AMALGAM_HAL_MEMORY_H

#include <types.h>
#include <arch/memory.h>

#define S2_WRITE 1u
#define S2_EXEC  2u

/* Map device registers uncached into the kernel. Returns NULL when there is no room. Boot only. */
void *hal_map_device(paddr_t pa, size_t size);

/*
 * Free the __init_text functions, which cannot be executed afterwards. Each core calls it when it has left them for
 * good and before it runs threads; cpu 0 last and alone, with `first`. With CONFIG_DYNAMIC it does nothing, because
 * systems are created later.
 */
void hal_drop_init(bool first);

int stage2_init(struct stage2 *s2);
/* Free its tables, but not the memory that they map; no vCPU uses it any more. */
void stage2_free(struct stage2 *s2);
/* Map a range; gpa, pa, size are page aligned; the largest pages that fit are used. Returns 0, -EINVAL, -EEXIST
 * (already mapped), -ENOMEM. */
int stage2_map(struct stage2 *s2, gpa_t gpa, paddr_t pa, u64 size, unsigned prot);
/* Unmap a range; the caller makes each vCPU of the space flush (vcpu_flush). Returns 0 or -EINVAL. */
int stage2_unmap(struct stage2 *s2, gpa_t gpa, u64 size);

#endif
