/* SPDX-License-Identifier: MIT */
/*
 * paging.c - the kernel's own page tables, built once and shared by all cores.
 *
 * Rights by section: text R-X, constants R--, all else RW- and never executable. The alias of text and constants in the
 * linear window is read-only, too.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/context.h>

extern const char image_start[], text_end[], init_start[], init_end[], rodata_end[], image_end[];

static u64 *root;
static unsigned top_shift,
    largest_shift; /* log2 of the bytes that an entry of the root maps, and of the largest pages */
static u64 next_device = DEVICES_BASE;

/* Large pages are used when address, size and processor allow. */
static bool fits(u64 address, u64 size, unsigned shift)
{
    return shift <= largest_shift && IS_ALIGNED(address, 1ull << shift) && size >> shift;
}

/*
 * Map [va, va+size) to pa. Existing entries are never replaced. Returns 0, -EEXIST, -ENOMEM. Boot, or under the
 * caller's lock.
 */
int paging_map(u64 va, paddr_t pa, u64 size, u64 flags)
{
    while (size) {
        unsigned shift = top_shift;
        u64 *entry = &root[va >> shift & 511];
        while (shift > PAGE_SHIFT && !fits(va | pa, size, shift)) {
            if (!(*entry & PTE_P)) {
                void *page = page_alloc();
                if (!page)
                    return -ENOMEM;
                *entry = virt_to_phys(page) | PTE_P | PTE_W;
            } else if (*entry & PTE_PS) {
                return -EEXIST;
            }
            u64 *table = phys_to_virt(*entry & PTE_ADDR);
            shift -= 9;
            entry = &table[va >> shift & 511];
        }
        if (*entry & PTE_P)
            return -EEXIST;
        *entry = pa | flags | PTE_P | (shift > PAGE_SHIFT ? PTE_PS : 0);
        u64 page = 1ull << shift;
        va += page;
        pa += page;
        size -= page;
    }
    return 0;
}

__init_text int paging_reserve(u64 va, u64 size)
{
    for (u64 n = va >> top_shift; size && n <= (va + size - 1) >> top_shift; n++) {
        u64 *entry = &root[n & 511];
        void *page = *entry & PTE_P ? NULL : page_alloc();
        if (page)
            *entry = virt_to_phys(page) | PTE_P | PTE_W;
        else if (!(*entry & PTE_P))
            return -ENOMEM;
    }
    return 0;
}

__init_text paddr_t paging_root(void) { return virt_to_phys(root); }

static __init_text void must_map(u64 va, paddr_t pa, u64 size, u64 flags)
{
    int err = paging_map(va, pa, size, flags);
    if (err)
        panic("paging: cannot map %llx (%llx bytes): error %d", va, size, err);
}

static __init_text void map_section(const char *from, const char *to, u64 flags)
{
    const char *alias = phys_to_virt(virt_to_phys(from));
    must_map((u64)from, virt_to_phys(from), (u64)(to - from), flags);
    if (alias != from)
        must_map((u64)alias, virt_to_phys(from), (u64)(to - from), flags | PTE_NX);
}

/* Map one region of RAM into the linear window, without the image, which map_section() has mapped. */
static __init_text void map_linear(paddr_t base, paddr_t end)
{
    paddr_t image = virt_to_phys(image_start), image_stop = virt_to_phys(image_end);
    base = ALIGN_DOWN(base, PAGE_SIZE);
    end = ALIGN_UP(end, PAGE_SIZE);
    if (base < image && end > image) {
        map_linear(base, image);
        base = image;
    }
    if (base < image_stop && base >= image)
        base = image_stop;
    if (base < end)
        must_map((u64)phys_to_virt(base), base, end - base, PTE_W | PTE_NX | PTE_G);
}

__init_text void paging_enable_cpu(void)
{
    struct cpuid_regs has = { 0 };
    if (cpuid(0, 0).eax >= 7)
        has = cpuid(7, 0);
    u64 cr4 = read_cr4() | CR4_PGE;
    if (has.ebx & X86_FEATURE_SMEP)
        cr4 |= CR4_SMEP;
    if (has.ebx & X86_FEATURE_SMAP)
        cr4 |= CR4_SMAP; /* no kernel access to user pages is intended but user/copy.S, which lifts it */
    if (has.ecx & X86_FEATURE_UMIP)
        cr4 |= CR4_UMIP;
    write_cr3(virt_to_phys(root));
    write_cr4(cr4);
    wrmsr(MSR_PAT, 0x0007040600070406ul); /* the reset value: WB WT UC- UC twice */
}

__init_text void paging_init(void)
{
    static const struct {
        const char *from, *to;
        u64 flags;
    } sections[] = {
        { image_start, init_end, PTE_G },
        { init_end, rodata_end, PTE_G | PTE_NX },
        { rodata_end, image_end, PTE_G | PTE_NX | PTE_W },
    };
    top_shift = read_cr4() & CR4_LA57 ? 48 : 39;
    largest_shift = cpuid(0x80000001, 0).edx & X86_FEATURE_GBPAGES ? 30 : 21;
    root = page_alloc();
    if (!root)
        panic("paging: no memory");
    for (unsigned i = 0; i < ARRAY_SIZE(sections); i++)
        map_section(sections[i].from, sections[i].to, sections[i].flags);
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        const struct boot_region *r = &boot_info.region[i];
        if (r->type == BOOT_MEM_RAM && r->size)
            map_linear(r->base, r->base + r->size);
    }
}

pte_t *paging_entry(const void *p)
{
    u64 *table = root;
    for (unsigned shift = top_shift; shift > PAGE_SHIFT; shift -= 9)
        table = phys_to_virt(table[(u64)p >> shift & 511] & PTE_ADDR);
    return &table[(u64)p >> PAGE_SHIFT & 511];
}

void paging_flush(void)
{
    write_cr4(read_cr4() ^ CR4_PGE);
    write_cr4(read_cr4() ^ CR4_PGE);
}

/* Uncached: PCD|PWT selects UC in the reset PAT. Boot only, so there is no lock. */
__init_text void *hal_map_device(paddr_t pa, size_t size)
{
    u64 offset = pa & (PAGE_SIZE - 1), va = next_device;
    size = ALIGN_UP(size + offset, PAGE_SIZE);
    if (paging_map(va, pa - offset, size, PTE_W | PTE_NX | PTE_PCD | PTE_PWT | PTE_G))
        return NULL;
    next_device += size + PAGE_SIZE;
    return (void *)(va + offset);
}
