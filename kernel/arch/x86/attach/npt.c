/* SPDX-License-Identifier: MIT */
/*
 * npt.c - Linux's nested page tables: all physical addresses there are, each where it is, in the largest pages
 * the machine has; and holes in it for what is ours.
 *
 * A hole is made of 2 MiB pieces, and every piece is the same table: 512 times one page of ones that can be read and
 * not written. So hiding costs one store a piece, plus one table where a 1 GiB page must be cut up.  The stores are
 * atomic, so CPUs that walk the tables meanwhile see the old or the new; they keep what they have cached until they
 * flush, which linux_space_version lets the kernel insist on.
 *
 * The piece with the local APIC has a table of its own in which the addresses that make interrupts are read-only; it
 * takes the piece's place while something is given. So have pieces with registers by which the machine sleeps or starts
 * again, where these are in memory.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <attach/upcalls.h>
#include <core/frames.h>
#include <errors.h>
#include <string.h>

#include "linux_cpu.h"

#define PIECE   (2 * MIB)
#define OURS    (PTE_P | PTE_W | PTE_U)
#define MAPPING (OURS | PTE_PS)

#define MESSAGES (1 * MIB) /* what is written here becomes an interrupt, the local APIC's page among it */

struct stage2 linux_space;
u64 linux_space_version;
static u64 hole; /* the entry of a hidden piece */

#define MAX_GUARDED (2 + ATTACH_SLEEP)
static struct {
    paddr_t piece;
    u64 *table; /* takes its place */
} guarded[MAX_GUARDED];
static unsigned n_guarded;

u64 physical_limit(void) { return 1ul << MIN(cpuid(0x80000008, 0).eax & 0xff, 52u); }

/* The entry of the piece at `base`, cutting up what is larger; NULL: no memory for that. */
static u64 *piece_at(paddr_t base)
{
    u64 *t = phys_to_virt(linux_space.root);
    for (unsigned level = linux_space.levels; level > 2; level--) {
        u64 *e = &t[base >> (12 + 9 * (level - 1)) & 511];
        if (*e & PTE_PS) { /* 1 GiB */
            u64 *smaller = page_alloc(), start = *e & PTE_ADDR;
            if (!smaller)
                return NULL;
            for (u64 i = 0; i < 512; i++)
                smaller[i] = (start + i * PIECE) | MAPPING;
            WRITE_ONCE(*e, virt_to_phys(smaller) | OURS);
        }
        t = phys_to_virt(*e & PTE_ADDR);
    }
    return &t[base >> 21 & 511];
}

bool linux_sees(paddr_t pa)
{
    if (pa >> 48 && linux_space.levels < 5)
        return false;
    const u64 *t = phys_to_virt(linux_space.root);
    for (unsigned level = linux_space.levels; level > 2; level--) {
        u64 e = READ_ONCE(t[pa >> (12 + 9 * (level - 1)) & 511]);
        if (e & PTE_PS || !(e & PTE_P))
            return e & PTE_P;
        t = phys_to_virt(e & PTE_ADDR);
    }
    u64 e = READ_ONCE(t[pa >> 21 & 511]);
    if (!(e & PTE_P) || e & PTE_PS)
        return e & PTE_P;
    t = phys_to_virt(e & PTE_ADDR);
    return t[pa >> 12 & 511] & PTE_W;
}

/* The table of a guarded piece: everything where it is. The piece is cut out, so that it can change hands later. */
static u64 *guard_table(paddr_t piece)
{
    for (unsigned i = 0; i < n_guarded; i++)
        if (guarded[i].piece == piece)
            return guarded[i].table;
    u64 *table = n_guarded < MAX_GUARDED ? page_alloc() : NULL;
    if (!table || !piece_at(piece))
        return NULL;
    for (u64 i = 0; i < 512; i++)
        table[i] = (piece + i * PAGE_SIZE) | OURS;
    guarded[n_guarded].piece = piece;
    guarded[n_guarded++].table = table;
    return table;
}

static int guard_init(void)
{
    n_guarded = 0;
    for (u64 at = ALIGN_DOWN(machine.lapic, MESSAGES), end = at + MESSAGES; at < end; at += PAGE_SIZE) {
        u64 *table = guard_table(ALIGN_DOWN(at, PIECE));
        if (!table)
            return -ENOMEM;
        table[at >> 12 & 511] = at | PTE_P | PTE_U | PTE_NX;
    }
    for (unsigned n = 0; attach_power_page(n); n++) {
        u64 at = attach_power_page(n), *table = guard_table(ALIGN_DOWN(at, PIECE));
        if (!table)
            return -ENOMEM;
        table[at >> 12 & 511] = at | PTE_P | PTE_U | PTE_NX;
    }
    return 0;
}

int linux_space_init(void)
{
    u64 *table = page_alloc();
    void *ones = page_alloc();
    if (!table || !ones)
        return -ENOMEM;
    memset(ones, 0xff, PAGE_SIZE);
    for (unsigned i = 0; i < 512; i++)
        table[i] = virt_to_phys(ones) | PTE_P | PTE_U | PTE_NX;
    hole = virt_to_phys(table) | OURS;
    int err = stage2_init(&linux_space);
    u64 limit = MIN(physical_limit(), linux_space.levels == 5 ? ~0ul : 1ul << 48);
    if (!err)
        err = stage2_map(&linux_space, 0, 0, limit, S2_WRITE | S2_EXEC);
    return err ? err : guard_init();
}

/* The analyzer does not see that what piece_at() was done for once is cut up, and stays so: it cannot fail again. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wanalyzer-null-dereference"
int linux_hide(paddr_t base, u64 size)
{
    for (unsigned i = 0; i < n_guarded; i++)
        if (guarded[i].piece - base < size) /* the guard's end would show it */
            return -EINVAL;
    for (u64 at = 0; at < size; at += PIECE) /* what can fail, first */
        if (!piece_at(base + at))
            return -ENOMEM;
    for (u64 at = 0; at < size; at += PIECE)
        WRITE_ONCE(*piece_at(base + at), hole);
    __atomic_fetch_add(&linux_space_version, 1, __ATOMIC_SEQ_CST);
    return 0;
}

/* A translation that is kept is the page of ones, which does no harm. */
void linux_show(paddr_t base, u64 size)
{
    for (u64 at = 0; at < size; at += PIECE)
        WRITE_ONCE(*piece_at(base + at), (base + at) | MAPPING);
}

void linux_guard(bool on)
{
    linux_trap_icr(on);
    linux_trap_ports(on);
    for (unsigned i = 0; i < n_guarded; i++)
        WRITE_ONCE(*piece_at(guarded[i].piece),
                   on ? virt_to_phys(guarded[i].table) | OURS : guarded[i].piece | MAPPING);
    __atomic_fetch_add(&linux_space_version, 1, __ATOMIC_SEQ_CST);
}
#pragma GCC diagnostic pop
