/* SPDX-License-Identifier: MIT */
/*
 * hal/aperture.h - kernel addresses at which pages are mapped and unmapped one by one (svm/). Only the calling core's
 * page tables are changed, so a kernel that shares its tables between cores has no apertures.
 */
#ifndef AMALGAM_HAL_APERTURE_H
#define AMALGAM_HAL_APERTURE_H

#include <types.h>

struct space;

/* Prepare `size` bytes of addresses at `va`, with nothing mapped yet. Both whole pages. Returns 0, -EEXIST: something
 * is mapped there, -ENOMEM. Boot. */
int hal_aperture_init(uintptr_t va, size_t size);
/* Map the page at `pa` at `va` in an aperture, in place of the one mapped there. Any context. */
void hal_aperture_show(uintptr_t va, paddr_t pa, bool write);
/* Unmap the page at `va`. Any context. */
void hal_aperture_hide(uintptr_t va);

/* The same at users' addresses of a process's space, whether it is loaded or not; hal_aperture_init_outside() makes its
 * tables there, and returns 0 or -ENOMEM. No other core has the space loaded. */
int hal_aperture_init_outside(struct space *s, uintptr_t va, size_t size);
void hal_aperture_show_outside(const struct space *s, uintptr_t va, paddr_t pa, bool write);
void hal_aperture_hide_outside(const struct space *s, uintptr_t va);

#endif
