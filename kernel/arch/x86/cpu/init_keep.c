/* SPDX-License-Identifier: MIT */
/* init_keep.c - keeps the code that creates systems, where systems come and go (CONFIG_DYNAMIC). */
#include <arch/boot.h>
#include <hal/memory.h>

bool init_dropped;

void hal_drop_init(bool first) { (void)first; }
