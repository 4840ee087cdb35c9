/* SPDX-License-Identifier: MIT */
/*
 * paging.c (32 bits) - the kernel's page tables, built once and shared by all cores.
 *
 * Text and constants are read-only, everything else is writable. All pages are executable: a Pentium has no bit against
 * that.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>

#include "paging.h"

#define TABLE_SHIFT   22         /* log2 of the bytes that an entry of the root maps */
#define SHARED_STACKS (16 * MIB) /* addresses for kernel stacks when processes have copies of the root */
#define CR4_PSE       (1ul << 4)
/* the entry holds a physical address of the board, which board/image.h must not translate; the processor ignores the
 * bit */
#define PTE_DEVICE (1u << 9)

extern const char image_start[], init_end[], rodata_end[], image_end[];

bool paging_large; /* pages of 4 MiB exist; entry.S sets it */
static pte_t *root;
static bool shared; /* processes have copies of the root */
static u32 next_device = DEVICES_BASE;

static bool fits(u64 address, u64 size)
{
    return paging_large && IS_ALIGNED(address, 1ull << TABLE_SHIFT) && size >> TABLE_SHIFT;
}

/* Find the entry of a 4 KiB page; makes the table if needed. Returns 0, -EEXIST or -ENOMEM. */
static int table_entry(pte_t *top, u32 va, pte_t **entry)
{
    if (!(*top & PTE_P)) {
        void *page = shared ? NULL : page_alloc();
        if (!page)
            return -ENOMEM;
        *top = bus_address(virt_to_phys(page)) | PTE_P | PTE_W;
    } else if (*top & PTE_PS) {
        return -EEXIST;
    }
    *entry = (pte_t *)phys_to_virt(own_address(*top & PTE_ADDR)) + (va >> PAGE_SHIFT & 1023);
    return 0;
}

/*
 * Map [va, va+size) to pa. Existing entries in the way are an error, never replaced.
 * 0, -EEXIST, -ENOMEM. Boot, or under the caller's lock.
 */
int paging_map(u64 va, paddr_t pa, u64 size, u64 flags)
{
    while (size) {
        pte_t *entry = &root[(u32)va >> TABLE_SHIFT];
        bool large = fits(va | pa, size);
        int err = large ? 0 : table_entry(entry, (u32)va, &entry);
        if (err)
            return err;
        if (*entry & PTE_P)
            return -EEXIST;
        *entry = (flags & PTE_DEVICE ? (pte_t)pa : bus_address(pa)) | (pte_t)flags | PTE_P | (large ? PTE_PS : 0);
        u32 page = large ? 1u << TABLE_SHIFT : PAGE_SIZE;
        va += page;
        pa += page;
        size -= page;
    }
    return 0;
}

__init_text paddr_t paging_root(void) { return bus_address(virt_to_phys(root)); }

static __init_text void must_map(const void *va, u64 size, u64 flags)
{
    int err = paging_map((u32)va, virt_to_phys(va), size, flags);
    if (err)
        panic("paging: cannot map %x (%llx bytes): error %d", (u32)va, size, err);
}

/* Map a region of RAM without the image. */
static __init_text void map_linear(paddr_t base, paddr_t end)
{
    paddr_t image = virt_to_phys(image_start), image_stop = virt_to_phys(image_end);
    base = ALIGN_DOWN(base, PAGE_SIZE);
    end = MIN(ALIGN_UP(end, PAGE_SIZE), RAM_END);
    if (base < image && end > image) {
        map_linear(base, image);
        base = image;
    }
    if (base < image_stop && base >= image)
        base = image_stop;
    if (base < end)
        must_map(phys_to_virt(base), end - base, PTE_W);
}

__init_text void paging_enable_cpu(void)
{
    if (paging_large)
        write_cr4(read_cr4() | CR4_PSE);
    write_cr3((u32)paging_root());
    write_cr0(read_cr0() | CR0_WP | CR0_PG);
    __asm__ volatile("jmp 1f; 1:" ::: "memory"); /* the manual requires a branch after the change */
}

__init_text void paging_init(void)
{
    paging_large = cpuid(1, 0).edx & X86_FEATURE_PSE;
    root = page_alloc();
    if (!root)
        panic("paging: no memory");
    must_map(image_start, (u64)(rodata_end - image_start), 0);
    must_map(rodata_end, (u64)(image_end - rodata_end), PTE_W);
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        const struct boot_region *r = &boot_info.region[i];
        if (r->type == BOOT_MEM_RAM && r->size)
            map_linear(r->base, r->base + r->size);
    }
    cpus[0]->arch.tss.cr3 = cpus[0]->arch.double_fault.cr3 = (u32)paging_root();
}

__cold const pte_t *paging_share_root(void)
{
    pte_t *entry;
    for (u32 va = STACKS_BASE; va < STACKS_BASE + SHARED_STACKS; va += PTE_TABLE_SPAN)
        if (table_entry(&root[va >> TABLE_SHIFT], va, &entry))
            return NULL;
    shared = true;
    return root;
}

pte_t *paging_entry(const void *p)
{
    pte_t *table = phys_to_virt(own_address(root[(u32)p >> TABLE_SHIFT] & PTE_ADDR));
    return &table[(u32)p >> PAGE_SHIFT & 1023];
}

void paging_flush(void) { write_cr3(read_cr3()); }

/* Map device registers uncached. Boot only, so no lock. */
__init_text void *hal_map_device(paddr_t pa, size_t size)
{
    u32 offset = pa & (PAGE_SIZE - 1), va = next_device;
    size = ALIGN_UP(size + offset, PAGE_SIZE);
    if (pa >> 32 || paging_map(va, pa - offset, size, PTE_W | PTE_PCD | PTE_PWT | PTE_DEVICE))
        return NULL;
    next_device += size + PAGE_SIZE;
    return (void *)(va + offset);
}
