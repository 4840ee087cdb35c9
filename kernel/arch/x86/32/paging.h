/* SPDX-License-Identifier: MIT */
/* paging.h (32 bits) - the kernel's page directory, for the spaces of processes. */
#ifndef AMALGAM_X86_32_PAGING_H
#define AMALGAM_X86_32_PAGING_H

#include <arch/pte.h>

/* Return the kernel's page directory, of which processes have copies: no entry of it changes from now on. The tables
 * for kernel stacks are made now, for 512 of them; what else would need a new table gets -ENOMEM. NULL: no memory.
 * Boot, or when a system is created. */
const pte_t *paging_share_root(void);

#endif
