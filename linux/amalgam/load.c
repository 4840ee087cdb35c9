// SPDX-License-Identifier: MIT
/*
 * load.c - allocates the kernel's memory, copies its image, and calls its initialization once.
 *
 * The region consists of chunks of 4 MiB, each contiguous. For the initialization the module makes temporary page
 * tables, which map the region, the shared memory and the trampoline and nothing else. The kernel makes its own tables
 * in that call; then the temporary ones are freed. From attach on Linux cannot read or write the region.
 */
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <asm/apic.h>
#include <asm/tsc.h>

#include "compat.h"
#include "module.h"

#define CHUNK_ORDER  (22 - PAGE_SHIFT)
#define SHARED_ORDER 9            /* 2 MiB: struct attach_shared, then the split drivers' area */
#define HEAP         (4ull << 20) /* at least; see heap_needed() */
#define RESERVE      (16u << 20)  /* bytes that load leaves to Linux */
#define TABLES       160          /* pages of tables: at most two for each chunk, if each lies in another GiB */
#define STACK_PAGES  4

#define FNV_BASIS 0xcbf29ce484222325
#define FNV_PRIME 0x100000001b3

enum { BOOT_PAGE, CPU_PAGE, VMCB_PAGE, HSAVE_PAGE, STACK_PAGE }; /* pages of the first chunk */

static struct page *chunks[ATTACH_MAX_CHUNKS];
static unsigned int n_chunks;
static struct attach_cpu *pages[NR_CPUS];

static u64 loaded_sum, loaded_heap; /* hash of the loaded image; the heap that it was loaded with */

static u64 *tables[TABLES];
static unsigned int n_tables;

struct attach_cpu *cpu_page(unsigned int cpu) { return pages[cpu]; }

static void *first_chunk(unsigned int page) { return (u8 *)page_address(chunks[0]) + page * PAGE_SIZE; }

static u64 *new_table(void)
{
    u64 *table = n_tables == TABLES || fail_here() ? NULL : (u64 *)get_zeroed_page(GFP_KERNEL);

    if (table)
        tables[n_tables++] = table;
    return table;
}

static void free_tables(void)
{
    while (n_tables)
        free_page((unsigned long)tables[--n_tables]);
}

/* Map one page of 4 KiB (level 1) or 2 MiB (level 2) in the temporary tables. */
static int map(u64 va, u64 pa, unsigned int level)
{
    unsigned int l = pgtable_l5_enabled() ? 5 : 4;
    u64 *table = tables[0], *entry;

    for (;; l--) {
        entry = &table[va >> (12 + 9 * (l - 1)) & 511];
        if (l == level)
            break;
        if (!*entry) {
            u64 *next = new_table();

            if (!next)
                return -ENOMEM;
            *entry = __pa(next) | _PAGE_PRESENT | _PAGE_RW;
        }
        table = __va(*entry & PTE_PFN_MASK);
    }
    *entry = pa | _PAGE_PRESENT | _PAGE_RW | (level == 2 ? _PAGE_PSE : 0);
    return 0;
}

static int map_large(u64 va, u64 pa, u64 size)
{
    u64 at;
    int error = 0;

    for (at = 0; at < size && !error; at += PMD_SIZE)
        error = map(va + at, pa + at, 2);
    return error;
}

static u64 trampoline_pa(void) { return (u64)page_to_pfn(vmalloc_to_page(amalgam_trampoline)) << PAGE_SHIFT; }

static int make_tables(const struct attach_header *head)
{
    unsigned int i;
    int error = new_table() ? 0 : -ENOMEM;

    for (i = 0; i < n_chunks && !error; i++)
        error = map_large(ATTACH_LINEAR_BASE + page_to_phys(chunks[i]), page_to_phys(chunks[i]), ATTACH_CHUNK);
    if (!error)
        error = map_large(head->base, page_to_phys(chunks[0]), ATTACH_CHUNK);
    if (!error)
        error = map_large(ATTACH_LINEAR_BASE + __pa(amalgam.shared), __pa(amalgam.shared), amalgam.shared_size);
    if (!error)
        error = map((u64)amalgam_trampoline, trampoline_pa(), 1);
    return error;
}

/* Returns the bytes of heap without which the kernel cannot start on this machine. */
static u64 heap_needed(const struct attach_header *head)
{
    unsigned int bits = min(cpuid_eax(0x80000008) & 0xff, pgtable_l5_enabled() ? 52u : 48u);

    return head->heap + attach_map_pages(bits, boot_cpu_has(X86_FEATURE_GBPAGES)) * PAGE_SIZE +
           num_present_cpus() * head->heap_cpu;
}

static int take_memory(u64 heap, u64 needed)
{
    u64 bytes = heap ?: max(HEAP, needed);
    u64 wanted = bytes > (u64)ATTACH_MAX_CHUNKS * ATTACH_CHUNK ? U64_MAX : 1 + DIV_ROUND_UP(bytes, ATTACH_CHUNK);
    struct page *shared;
    u64 available;

    if (bytes < needed)
        return why(-ENOSPC, "on this machine the kernel needs a heap of %llu KiB", DIV_ROUND_UP(needed, 1024));
    if (wanted > ATTACH_MAX_CHUNKS)
        return why(-E2BIG, "%llu MiB are more than the kernel can be loaded with", bytes >> 20);
    available = max_t(s64, 0, si_mem_available()) << PAGE_SHIFT;
    if (wanted * ATTACH_CHUNK + RESERVE > available) /* otherwise Linux would kill programs to get the memory */
        return why(-ENOMEM, "%llu MiB are wanted and %u must stay free, but only %llu MiB are available",
                   wanted * ATTACH_CHUNK >> 20, RESERVE >> 20, available >> 20);
    for (n_chunks = 0; n_chunks < wanted; n_chunks++) {
        chunks[n_chunks] = fail_here() ? NULL : alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, CHUNK_ORDER);
        if (!chunks[n_chunks])
            return why(-ENOMEM, "no contiguous 4 MiB: %u of %llu found", n_chunks, wanted);
    }
    shared = fail_here() ? NULL : alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, SHARED_ORDER);
    if (!shared)
        return why(-ENOMEM, "no contiguous 2 MiB to share with the kernel");
    amalgam.shared = page_address(shared);
    amalgam.shared_size = PAGE_SIZE << SHARED_ORDER;
    amalgam.shared->abi = ATTACH_ABI;
    amalgam.region = wanted * ATTACH_CHUNK;
    return 0;
}

static void free_memory(void)
{
    free_tables();
    if (amalgam.shared)
        free_pages((unsigned long)amalgam.shared, SHARED_ORDER);
    amalgam.shared = NULL;
    amalgam.region = 0;
    while (n_chunks)
        __free_pages(chunks[--n_chunks], CHUNK_ORDER);
    memset(pages, 0, sizeof(pages));
}

/* Continue an FNV-1a hash. It only tells images apart; it is no protection. */
static u64 add_to_sum(u64 sum, const u8 *at, size_t n)
{
    while (n--)
        sum = (sum ^ *at++) * FNV_PRIME;
    return sum;
}

int kernel_is(const struct amalgam_load *args)
{
    if ((args->heap && args->heap != loaded_heap) || !amalgam.copy)
        return 0;
    return add_to_sum(FNV_BASIS, amalgam.copy, args->size) == loaded_sum;
}

static int check_image(const struct amalgam_load *args)
{
    const struct attach_header *h = amalgam.copy;

    if (!h || args->size < sizeof(*h) || args->size > ATTACH_CHUNK - ATTACH_IMAGE_AT)
        return why(-ENOEXEC, "%llu bytes are no image of the kernel", args->size);
    if (h->magic != ATTACH_MAGIC)
        return why(-ENOEXEC, "not an image of the kernel");
    if (h->abi != ATTACH_ABI)
        return why(-ENOEXEC, "the image speaks version %u, this module %u: build both together", h->abi, ATTACH_ABI);
    if (h->file_end - h->base - ATTACH_IMAGE_AT != args->size || h->memory_end < h->file_end ||
        h->memory_end - h->base > ATTACH_CHUNK || h->init - h->base >= ATTACH_CHUNK || h->heap > ATTACH_CHUNK ||
        h->heap_cpu > ATTACH_CHUNK)
        return why(-ENOEXEC, "the image is damaged: its head does not fit its size");
    return 0;
}

/* Append a range of RAM. Ranges come in ascending order; adjacent ones are joined. */
static int add_ram(struct resource *r, void *arg)
{
    struct attach_boot *boot = arg;
    struct attach_chunk *last = boot->n_ram ? &boot->ram[boot->n_ram - 1] : NULL;

    if (last && last->base + last->size == r->start) {
        last->size += resource_size(r);
        return 0;
    }
    if (boot->n_ram == ATTACH_MAX_RAM)
        return -ENOSPC; /* RAM behind this cannot be given */
    boot->ram[boot->n_ram++] = (struct attach_chunk){ r->start, resource_size(r) };
    return 0;
}

static int describe(struct attach_boot *boot)
{
    unsigned int cpu, i;

    boot->shared = __pa(amalgam.shared);
    boot->shared_size = amalgam.shared_size;
    boot->trampoline_va = (u64)amalgam_trampoline;
    boot->trampoline_pa = trampoline_pa();
    boot->resume = (u64)amalgam_resume;
    boot->leave = (u64)amalgam_back;
    boot->tsc_khz = tsc_khz;
    boot->wall_ns = ktime_get_real_ns();
    for (i = 0; i < n_chunks; i++)
        boot->chunk[i] = (struct attach_chunk){ page_to_phys(chunks[i]), ATTACH_CHUNK };
    boot->n_chunks = n_chunks;
    walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_SYSTEM_RAM | IORESOURCE_BUSY, 0, -1, boot, add_ram);
    for_each_present_cpu(cpu) boot->apic_id[boot->n_cpus++] = cpu_physical_id(cpu);
    return power_describe(&boot->power);
}

/* The way back would take AMD-V from a KVM that started after gate_check(), so look again: it cannot start while
 * interrupts are off. */
static int enter_once(struct attach_boot *boot, struct attach_cpu *page)
{
    int error;

    local_irq_disable();
    error = gate_here();
    if (!error) {
        boot->wall_ns = ktime_get_real_fast_ns();
        amalgam_enter(page);
    }
    local_irq_enable();
    return error;
}

static int image_start(const struct attach_header *head)
{
    struct attach_boot *boot = first_chunk(BOOT_PAGE);
    struct attach_cpu *page = first_chunk(CPU_PAGE);
    unsigned int cpu, i = 0;
    int error;

    BUILD_BUG_ON(sizeof(*boot) > PAGE_SIZE || (STACK_PAGE + STACK_PAGES) * PAGE_SIZE > ATTACH_BOOT_AREA);
    error = describe(boot);
    if (error)
        return error;
    page->self = ATTACH_LINEAR_BASE + __pa(page);
    page->host_cr3 = __pa(tables[0]);
    page->host_rsp = ATTACH_LINEAR_BASE + __pa(first_chunk(STACK_PAGE + STACK_PAGES));
    page->entry = head->init;
    page->vmcb_pa = __pa(first_chunk(VMCB_PAGE));
    page->hsave_pa = __pa(first_chunk(HSAVE_PAGE));
    error = enter_once(boot, page);
    if (error)
        return why(error, "KVM or another hypervisor has just begun to use AMD-V");
    if (boot->error)
        return why(boot->error, "the kernel does not start (%d)", boot->error);
    for_each_present_cpu(cpu) pages[cpu] = __va(boot->cpu[i++]);
    return 0;
}

int kernel_load(const struct amalgam_load *args)
{
    const struct attach_header *head = amalgam.copy;
    int error = check_image(args) ?: take_memory(args->heap, heap_needed(head));

    if (!error)
        memcpy(page_address(chunks[0]) + ATTACH_IMAGE_AT, amalgam.copy, args->size);
    if (!error && amalgam_trampoline_end - amalgam_trampoline > PAGE_SIZE)
        error = why(-ENOEXEC, "the trampoline of this module is longer than its page");
    if (!error && make_tables(head))
        error = why(-ENOMEM, "no memory for page tables");
    if (!error)
        error = image_start(head);
    free_tables();
    if (error) {
        free_memory();
        return error;
    }
    loaded_sum = add_to_sum(FNV_BASIS, amalgam.copy, args->size);
    loaded_heap = args->heap;
    stream_connect(amalgam.shared);
    amalgam.state = AMALGAM_LOADED;
    return 0;
}

void kernel_unload(void)
{
    stream_disconnect();
    amalgam.state = AMALGAM_EMPTY;
    free_memory();
}
