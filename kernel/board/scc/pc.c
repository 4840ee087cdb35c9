/* SPDX-License-Identifier: MIT */
/*
 * pc.c - the same image on a PC, started by a boot loader (GRUB, multiboot2), where no host has prepared the cores'
 * memory (tools/amalgam/board/scc.py): this does it, before any kernel runs.
 *
 * The memory becomes that of the emulated board. The first 16 MiB, into which the loader has put everything, are
 * nobody's. Core n's own 16 MiB begin at 16 MiB * (n + 1): the image, the system, the information and the LUT as a page
 * directory. Behind the last core's are the 16 MiB that all share. Cores are those that ACPI lists, as far as there is
 * memory, and as far as they come when they are called; the number of a local APIC is the core's. Then the first core
 * goes on in its own memory as the emulated board's core 0 does.
 *
 * All of this runs in the first 16 MiB, and its variables stay there. So the image is copied before any of them that is
 * not zero is written.
 */
#include "pc.h"

#include <arch/acpi.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/scc.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

#include "start.h"

#define SLICE      (1u << LUT_SHIFT)
#define LEAST      (3u * SLICE) /* core 0 alone */
#define ALL_OTHERS 0xc0000u     /* in an APIC's command: to all but the sender */
#define PATIENCE   500          /* times 20 ms for which a core that ACPI lists is waited for */
#define MB(bytes)  (u32)((bytes) / MIB)

extern const char image_start[], file_end[], scc_pc_start[], scc_pc_start_end[];

u32 scc_pc_came[2]; /* bit n: core n is in pc.S */

static __init_text u32 *lapic(u32 offset) { return (u32 *)(PC_LAPIC + offset); }

/* The end of the memory from 1 MiB on that has no hole. */
static __init_text u64 memory_end(void)
{
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        const struct boot_region *r = &boot_info.region[i];
        if (r->type == BOOT_MEM_RAM && r->base <= MIB && r->base + r->size > MIB)
            return MIN(r->base + r->size, 4 * GIB);
    }
    return 0;
}

static __init_text void wait_ms(unsigned ms)
{
    const struct time_reference *clock = time_reference();
    for (u64 from = clock->read(); ((clock->read() - from) & clock->mask) < clock->hz / 1000 * ms;)
        cpu_relax();
}

static __init_text void call_all_others(u32 command) { WRITE_ONCE(*lapic(0x300), ALL_OTHERS | command); }

static __init_text const void *memory_at(paddr_t pa, u64 size)
{
    return pa < 4 * GIB && size <= 4 * GIB - pa ? (const void *)(u32)pa : NULL;
}

/* The cores that ACPI lists and that may be some of the first `n`. */
static __init_text u64 listed(unsigned n)
{
    u64 found = 1;
    for (unsigned i = 0; i < machine.n_cpus; i++)
        if (machine.apic_id[i] < n)
            found |= 1ull << machine.apic_id[i];
    return found;
}

/* Call the other cores into pc.S; returns those of `wanted` that came, and this one. */
static __init_text u64 call_cores(u64 wanted)
{
    u64 came = 1;
    if (wanted == came)
        return came;
    memcpy((void *)PC_START, scc_pc_start, (size_t)(scc_pc_start_end - scc_pc_start));
    call_all_others(SCC_ICR_INIT);
    wait_ms(10);
    for (unsigned i = 0; i < PATIENCE && (wanted & ~came); i++) {
        if (i < 2) /* the second one finds who has not seen the first */
            call_all_others(SCC_ICR_STARTUP | PC_START >> PAGE_SHIFT);
        wait_ms(20);
        came |= (u64)READ_ONCE(scc_pc_came[1]) << 32 | READ_ONCE(scc_pc_came[0]);
    }
    return came & wanted;
}

static __init_text void set_entry(u32 *directory, struct scc_info *info, unsigned entry, u32 at)
{
    info->lut[entry] = at | LUT_VALID;
    for (unsigned quarter = 0; quarter < SLICE >> 22; quarter++)
        directory[entry * 4 + quarter] = (at + (quarter << 22)) | (u32)(PTE_P | PTE_W | PTE_PS);
}

/* What the host of the emulated board puts into a core's memory; the information's first word last. */
static __init_text void prepare(unsigned core, u64 chosen, u32 shared)
{
    u8 *own = (u8 *)((core + 1) * SLICE);
    struct scc_info *info = (struct scc_info *)(own + SCC_INFO);
    memset(own, 0, SLICE);
    memcpy(own + MIB, (const void *)PC_KEPT, (size_t)(file_end - image_start));
    memcpy(own + PC_SYSTEM, (const void *)PC_SYSTEM, (size_t)boot_info.system_size);
    info->core = core;
    info->chosen[0] = (u32)chosen;
    info->chosen[1] = (u32)(chosen >> 32);
    info->memory = SLICE;
    info->system_base = boot_info.system_size ? PC_SYSTEM : 0;
    info->system_size = (u32)boot_info.system_size;
    info->start_page = PC_START >> PAGE_SHIFT;
    info->life = 1;
    set_entry((u32 *)(own + PC_DIRECTORY), info, 0, (u32)own);
    set_entry((u32 *)(own + PC_DIRECTORY), info, SCC_SHARED >> LUT_SHIFT, shared);
    __atomic_store_n(&info->magic, SCC_MAGIC, __ATOMIC_RELEASE);
}

/* Read what the loader says, and put aside what it has loaded. Returns the memory's end. */
static __init_text u64 take_over(u32 magic, u32 at)
{
    int err = magic == MULTIBOOT2_MAGIC ? multiboot2_parse((const void *)at, at, 4 * GIB - at, &boot_info) : -ENOEXEC;
    u64 end = err ? 0 : memory_end();
    bool fits = end >= LEAST && boot_info.system_size <= SLICE - PC_SYSTEM;
    if (fits) {
        acpi_read(boot_info.rsdp, memory_at, &machine); /* the loader's information may be where the rest is put now */
        memmove((void *)PC_SYSTEM, (const void *)(u32)boot_info.system_base, (size_t)boot_info.system_size);
        memcpy((void *)PC_KEPT, image_start, (size_t)(file_end - image_start));
    }
    scc_begin();
    if (err)
        panic(INIT_STRING("boot: the loader left information that cannot be read: error %d"), err);
    if (!fits)
        panic(INIT_STRING("boot: %u MiB of memory from 1 MiB on, a system image of %u bytes: there must be %u, and no "
                          "more than %u"),
              MB(end), (u32)boot_info.system_size, MB(LEAST), SLICE - PC_SYSTEM);
    return end;
}

__init_text void scc_pc(u32 magic, u32 at)
{
    unsigned n = (unsigned)MIN(take_over(magic, at) / SLICE - 2, SCC_CORES), last = 0;
    if (READ_ONCE(*lapic(0x20)) >> 24)
        panic(INIT_STRING("boot: the first core is number %u, not 0"), READ_ONCE(*lapic(0x20)) >> 24);
    u64 wanted = listed(n);
    for (unsigned core = 0; core < n; core++) /* what an earlier start may have left */
        ((struct scc_info *)((core + 1) * SLICE + SCC_INFO))->magic = 0;
    u64 chosen = call_cores(wanted);
    for (unsigned core = 0; core < n; core++)
        last = chosen >> core & 1 ? core : last;
    printk(INIT_STRING("scc: ACPI lists %u cores, there is memory for %u; boots: %llx\n"), machine.n_cpus, n, chosen);
    u32 shared = (last + 2) * SLICE;
    memset((void *)shared, 0, SLICE);
    for (unsigned core = 0; core <= last; core++)
        if (chosen >> core & 1)
            prepare(core, chosen, shared);
    scc_pc_enter(SLICE);
}
