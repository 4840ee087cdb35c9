/* SPDX-License-Identifier: MIT */
/* info.c - reads what the host has written into this core's memory (tools/amalgam/board/scc.py): the core's number
 * and the memory that it may reach. */
#include <arch/cpu.h>
#include <board/scc.h>
#include <boot_info.h>
#include <core/init.h>
#include <core/log.h>
#include <seed.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <string.h>

u32 scc_lut[LUT_ENTRIES];
unsigned scc_core;
u32 scc_life, scc_khz, scc_registers, scc_start_page;
static u32 chosen[2];

bool scc_chosen(unsigned core) { return core < SCC_CORES && chosen[core / 32] >> core % 32 & 1; }

__init_text void scc_read_info(void)
{
    struct scc_info *info = (struct scc_info *)SCC_INFO;
    if (info->magic != SCC_MAGIC || info->core >= SCC_CORES || !(info->life & LIFE_MASK) ||
        !(info->lut[0] & LUT_VALID) || info->memory < 2 * MIB || info->memory > 1u << LUT_SHIFT)
        panic("scc: the host left no information at %x", (u32)SCC_INFO);
    for (unsigned i = 0; i < LUT_ENTRIES; i++)
        scc_lut[i] = info->lut[i] & LUT_VALID ? info->lut[i] & ~LUT_VALID : 0;
    memcpy(chosen, info->chosen, sizeof(chosen));
    scc_core = info->core;
    scc_life = info->life & LIFE_MASK;
    scc_khz = info->khz;
    scc_registers = info->doorbell;
    scc_start_page = info->start_page & 0xff;
#if SEED
    seed_take(info->seed, sizeof(info->seed));
#endif
    info->magic = 0; /* this memory is used up: after a reset the start-up code waits for the host (reset.S) */
    boot_info = (struct boot_info){
        .loader = scc_start_page == SCC_START_ROM ? "the reset code" : "multiboot2",
        .n_regions = 1,
        .region[0] = { MIB, info->memory - MIB, BOOT_MEM_RAM },
        .system_base = info->system_base,
        .system_size = info->system_size,
        .self = (u16)scc_core,
        .n_kernels = SCC_CORES,
    };
}

/* What was sent to a kernel that ran here before is cleared before anybody may send to this one. Core 0 counts this
 * kernel when it prints the next line, whose ring wakes its reader. */
static __init_text void announce(void)
{
    struct scc_shared *s = scc_shared();
    WRITE_ONCE(s->up[scc_core], 0);
    mp_fence();
    memset(scc_mpb(scc_core), 0, SCC_MPB_MAIL);
    memset(s->request[scc_core], 0, sizeof(s->request[0]));
    s->beat[scc_core] = s->off[scc_core] = 0;
    mp_fence();
    WRITE_ONCE(s->up[scc_core], scc_life);
    printk("scc: tile %u, memory from %x of the board's\n", scc_core / 2, scc_lut[0]);
}
INIT_CALL(announce);
