/* SPDX-License-Identifier: MIT */
/*
 * pmp.c - what a hart's S- and U-mode may reach (Privileged Architecture, 3.7). The lowest entry that matches decides;
 * what no entry matches is closed. It counts for loads, stores, fetches, and the reads of a page walk.
 */
#include "csr.h"
#include "hart.h"

enum { PMP_R = 1, PMP_W = 2, PMP_X = 4, PMP_NAPOT = 3 << 3 };

/* `size`: a power of two from 8 bytes on; `base` a multiple of it. */
static ulong napot(ulong base, ulong size) { return base >> 2 | (size / 8 - 1); }

void pmp_init(const struct fw_cluster *own)
{
    csr_write(pmpaddr0, napot(own->slice, own->slice_size));
    csr_write(pmpaddr1, napot(own->outbox, own->outbox_size));
    csr_write(pmpaddr2, napot(table()->noc, table()->noc_size));
    csr_write(pmpaddr3, napot(SSWI, SSWI_SIZE));
    csr_write(pmpcfg0, (ulong)(PMP_NAPOT | PMP_R | PMP_W | PMP_X) | (ulong)(PMP_NAPOT | PMP_R | PMP_W) << 8 |
                           (ulong)(PMP_NAPOT | PMP_R) << 16 | (ulong)(PMP_NAPOT | PMP_R | PMP_W) << 24);
    __asm__ volatile("sfence.vma" ::: "memory");
}
