/* SPDX-License-Identifier: MIT */
/* init_keep.c - where systems come and go, what creates them stays (CONFIG_DYNAMIC). */
#include <arch/boot.h>
#include <hal/memory.h>

bool init_dropped;

void hal_drop_init(bool first) { (void)first; }
