/* SPDX-License-Identifier: MIT */
/*
 * hal/window.h - kernel addresses at which pages are shown and hidden one by one (svm/). Only the calling core's own
 * page tables are changed: a kernel that shares its tables with other cores has no windows.
 */
#ifndef AMALGAM_HAL_WINDOW_H
#define AMALGAM_HAL_WINDOW_H

#include <types.h>

/* Prepare `size` bytes of addresses at `va`, where nothing is shown yet. Both whole pages. 0, -EEXIST: something is
 * mapped there, -ENOMEM. Boot. */
int hal_window_init(uintptr_t va, size_t size);
/* Show the page at `pa` at `va`, in a window, in place of what is shown there. Any context. */
void hal_window_show(uintptr_t va, paddr_t pa, bool write);
/* Show nothing at `va`. Any context. */
void hal_window_hide(uintptr_t va);

#endif
