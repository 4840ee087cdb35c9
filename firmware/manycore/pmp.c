/* SPDX-License-Identifier: MIT */
/*
 * pmp.c - the memory that S- and U-mode of a hart may access (Privileged Architecture, 3.7). The lowest entry that
 * matches an address decides; an address that no entry matches is closed. This applies to loads, stores, fetches, and
 * the reads of a page walk.
 *
 * Open doorbells are those of all masters, which are adjacent (table.h), and those of the cluster's own harts; so no
 * cluster can ring another one's slaves. In a fleet there is one register for all masters, and a cluster's own harts
 * are rung by SBI calls.
 */
#include "csr.h"
#include "hart.h"

enum { PMP_R = 1, PMP_W = 2, PMP_X = 4, PMP_TOR = 1 << 3, PMP_NAPOT = 3 << 3 };

/* Returns pmpaddr of a NAPOT entry. `size` is a power of two, at least 8 bytes; `base` is a multiple of it. */
static ulong napot(ulong base, ulong size) { return base >> 2 | (size / 8 - 1); }

/* Returns pmpaddr of a TOR entry that ends at a hart's doorbell; it begins at the address of the entry before it. */
static ulong doorbell(u32 hart) { return (SSWI + 4ul * hart) >> 2; }

void pmp_init(const struct fw_cluster *own)
{
    ulong low = (ulong)(PMP_NAPOT | PMP_R | PMP_W | PMP_X) | (ulong)(PMP_NAPOT | PMP_R | PMP_W) << 8 |
                (ulong)(PMP_NAPOT | PMP_R) << 16;
    ulong high = PMP_TOR | PMP_R | PMP_W; /* entries 3 and 5 are off and only give the start of 4 and 6 */

    csr_write(pmpaddr0, napot(own->slice, own->slice_size));
    csr_write(pmpaddr1, napot(own->outbox, own->outbox_size));
    csr_write(pmpaddr2, napot(table()->noc, table()->noc_size));
    if (is_fleet()) {
        ulong ring = table()->registers + IVSHMEM_DOORBELL;
        csr_write(pmpaddr3, ring >> 2);
        csr_write(pmpaddr4, (ring + 4) >> 2);
    } else {
        csr_write(pmpaddr3, doorbell(0));
        csr_write(pmpaddr4, doorbell(table()->n_clusters));
        csr_write(pmpaddr5, doorbell(own->first_slave));
    }
    if (!is_fleet() && own->n_harts > 1) { /* because QEMU treats an empty range as the byte at address 0 */
        csr_write(pmpaddr6, doorbell(own->first_slave + own->n_harts - 1));
        high |= (ulong)(PMP_TOR | PMP_R | PMP_W) << 16;
    }
#if __riscv_xlen == 64
    csr_write(pmpcfg0, low | high << 32);
#else
    csr_write(pmpcfg0, low);
    csr_write(pmpcfg1, high);
#endif
    __asm__ volatile("sfence.vma" ::: "memory");
}
