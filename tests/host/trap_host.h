/* SPDX-License-Identifier: MIT */
/* trap_host.h - attach_host.h, and what traps.c needs besides: a core's record as the real one is. */
#ifndef AMALGAM_TESTS_TRAP_HOST_H
#define AMALGAM_TESTS_TRAP_HOST_H

#include "attach_host.h"
#include "../../kernel/arch/x86/64/include/arch/percpu.h"

/* Where the real arch/memory.h has them; only their distance matters. */
#define STACKS_BASE  0x8000000000ul
#define DEVICES_BASE 0x10000000000ul

static inline u64 read_cr2(void) { return 0; }
static inline u64 read_cr3(void) { return 0; }

#endif
