/* SPDX-License-Identifier: MIT */
/*
 * npt.c - Linux's nested page tables: an identity map of the whole physical address space, with the largest pages the
 * machine has, and holes that hide our memory.
 *
 * A hole consists of 2 MiB pages ("large pages"). All hidden ones have the same table: 512 times one page of ones,
 * readable and not writable. So hiding costs one store for each large page, and one table where a 1 GiB page must be
 * split. The stores are atomic, so a CPU that walks the tables meanwhile sees the old or the new entry. CPUs use cached
 * translations until they flush, which the kernel can wait for by linux_space_version.
 *
 * The large page with the local APIC has a table in which the addresses that cause interrupts are read-only. While
 * something is given this table is in the large page's place. The same holds for large pages with registers that make
 * the machine sleep or reset, if these are in memory.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <attach/upcalls.h>
#include <core/frames.h>
#include <errors.h>
#include <string.h>

#include "linux_cpu.h"

#define LARGE_PAGE (2 * MIB)
#define OURS       (PTE_P | PTE_W | PTE_U)
#define MAPPING    (OURS | PTE_PS)

#define MESSAGES (1 * MIB) /* writes here become interrupts; the local APIC's page is in it */

struct stage2 linux_space;
u64 linux_space_version;
bool linux_barrier;
static u64 hole; /* entry of a hidden large page */

#define MAX_GUARDED (4 + ATTACH_SLEEP) /* the local APIC's, those of sleep, the mirror's, that of reset */
static struct {
    paddr_t large_page;
    u64 *table; /* the table that takes its place */
} guarded[MAX_GUARDED];
static unsigned n_guarded;

#define MSR_SYSCFG       0xc0010010
#define SYSCFG_ENCRYPTS  (1ul << 23) /* MemEncryptionModEn */
#define SYSCFG_OWNS      (1ul << 24) /* SecureNestedPagingEn */
#define ENCRYPTION_LEAF  0x8000001f
#define HAS_ENCRYPTION   (1u << 0)
#define ENCRYPTION_BIT   0x3fu /* EBX, bits 0-5: the address bit; bits 6-11: by how many bits addresses are shorter */
#define SHORTER_BY(leaf) ((leaf).ebx >> 6 & 0x3f)

/* Returns SYSCFG; 0 if the processor has no memory encryption. */
static u64 syscfg(void)
{
    bool has = cpuid(0x80000000, 0).eax >= ENCRYPTION_LEAF && cpuid(ENCRYPTION_LEAF, 0).eax & HAS_ENCRYPTION;
    return has ? rdmsr(MSR_SYSCFG) : 0;
}

/*
 * With memory encryption switched on, which firmware does without Linux, one address bit says "encrypted": memory that
 * is hidden at its address would be there again at the address with that bit (APM vol. 2, 7.10). So the map ends below
 * it. SYSCFG is sealed while something is given (attach/msr.c).
 */
u64 physical_limit(void)
{
    u32 bits = MIN(cpuid(0x80000008, 0).eax & 0xff, 52u);
    struct cpuid_regs e = syscfg() & SYSCFG_ENCRYPTS ? cpuid(ENCRYPTION_LEAF, 0) : (struct cpuid_regs){ .ebx = 63 };
    return 1ul << MIN(bits - SHORTER_BY(e), e.ebx & ENCRYPTION_BIT);
}

bool memory_has_owners(void) { return syscfg() & SYSCFG_OWNS; }

/* Return the entry of the large page at `base`, splitting a larger page if necessary; NULL: no memory for that. */
static u64 *large_page_at(paddr_t base)
{
    u64 *t = phys_to_virt(linux_space.root);
    for (unsigned level = linux_space.levels; level > 2; level--) {
        u64 *e = &t[base >> (12 + 9 * (level - 1)) & 511];
        if (*e & PTE_PS) { /* a page of 1 GiB */
            u64 *smaller = page_alloc(), start = *e & PTE_ADDR;
            if (!smaller)
                return NULL;
            for (u64 i = 0; i < 512; i++)
                smaller[i] = (start + i * LARGE_PAGE) | MAPPING;
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

/* Return the table of a guarded large page, at first an identity map. The large page is split off, so that its entry
 * can be exchanged later. */
static u64 *guard_table(paddr_t large_page)
{
    for (unsigned i = 0; i < n_guarded; i++)
        if (guarded[i].large_page == large_page)
            return guarded[i].table;
    u64 *table = n_guarded < MAX_GUARDED ? page_alloc() : NULL;
    if (!table || !large_page_at(large_page))
        return NULL;
    for (u64 i = 0; i < 512; i++)
        table[i] = (large_page + i * PAGE_SIZE) | OURS;
    guarded[n_guarded].large_page = large_page;
    guarded[n_guarded++].table = table;
    return table;
}

static int guard_init(void)
{
    n_guarded = 0;
    for (u64 at = ALIGN_DOWN(machine.lapic, MESSAGES), end = at + MESSAGES; at < end; at += PAGE_SIZE) {
        u64 *table = guard_table(ALIGN_DOWN(at, LARGE_PAGE));
        if (!table)
            return -ENOMEM;
        table[at >> 12 & 511] = at | PTE_P | PTE_U | PTE_NX;
    }
    for (unsigned n = 0; attach_power_page(n); n++) {
        u64 at = attach_power_page(n), *table = guard_table(ALIGN_DOWN(at, LARGE_PAGE));
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

/* These calls cannot fail: large_page_at() has split the page before, and a split page stays split. (Said for the
 * analyzer.) */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wanalyzer-null-dereference"
int linux_hide(paddr_t base, u64 size)
{
    for (unsigned i = 0; i < n_guarded; i++)
        if (guarded[i].large_page - base < size) /* the end of the guard would map it */
            return -EINVAL;
    for (u64 at = 0; at < size; at += LARGE_PAGE) /* first all that can fail */
        if (!large_page_at(base + at))
            return -ENOMEM;
    for (u64 at = 0; at < size; at += LARGE_PAGE)
        WRITE_ONCE(*large_page_at(base + at), hole);
    __atomic_fetch_add(&linux_space_version, 1, __ATOMIC_SEQ_CST);
    return 0;
}

/* A cached translation is the page of ones, which is harmless. */
void linux_show(paddr_t base, u64 size)
{
    for (u64 at = 0; at < size; at += LARGE_PAGE)
        WRITE_ONCE(*large_page_at(base + at), (base + at) | MAPPING);
}

void linux_guard(bool on)
{
    linux_trap_icr(on);
    linux_trap_ports(on);
    WRITE_ONCE(linux_barrier, on && cpuid(0x80000008, 0).ebx & X86_FEATURE_IBPB);
    for (unsigned i = 0; i < n_guarded; i++)
        WRITE_ONCE(*large_page_at(guarded[i].large_page),
                   on ? virt_to_phys(guarded[i].table) | OURS : guarded[i].large_page | MAPPING);
    __atomic_fetch_add(&linux_space_version, 1, __ATOMIC_SEQ_CST);
}
#pragma GCC diagnostic pop
