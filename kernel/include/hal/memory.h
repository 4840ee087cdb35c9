/* SPDX-License-Identifier: MIT */
/*
 * hal/memory.h - physical memory as the kernel reaches it, and nested spaces.
 *
 * All RAM is reachable through a linear window that is never executable and in
 * which the kernel's own text is read-only; `phys_to_virt`/`virt_to_phys`
 * (inline in <arch/memory.h>) convert.  A `struct stage2` is a guest-physical
 * address space.  It is filled at domain creation and never on a guest's word.
 */
#ifndef AMALGAM_HAL_MEMORY_H
#define AMALGAM_HAL_MEMORY_H

#include <types.h>
#include <arch/memory.h>

#define S2_WRITE 1u
#define S2_EXEC  2u

/* Map device registers uncached into the kernel; returns NULL when out of room. Boot only. */
void *hal_map_device(paddr_t pa, size_t size);

/*
 * Every core, when it has left the __init_text functions for good and before it runs threads; cpu 0 `first`, alone,
 * when all that boots is done. Their text can then not be executed any more, and its memory is free. With
 * CONFIG_DYNAMIC it does nothing, as systems are created later.
 */
void hal_drop_init(bool first);

int stage2_init(struct stage2 *s2);
/* Free its tables, not what they map; no vCPU uses it any more. */
void stage2_free(struct stage2 *s2);
/* gpa, pa, size page aligned; uses the largest pages that fit. -EINVAL, -EEXIST (already mapped), -ENOMEM. */
int stage2_map(struct stage2 *s2, gpa_t gpa, paddr_t pa, u64 size, unsigned prot);
/* Removes; the caller makes every vCPU of the space reload (vcpu_flush). */
int stage2_unmap(struct stage2 *s2, gpa_t gpa, u64 size);
/* Host-physical address behind gpa, or -1 where nothing is mapped. */
paddr_t stage2_lookup(const struct stage2 *s2, gpa_t gpa, unsigned *prot);

#endif
