/* SPDX-License-Identifier: MIT */
/*
 * para_ram.h - memory of a guest in ring 1, for tests of x86/para: RAM bytes at guest-physical 0, below 4 GiB of the
 * host's, because the kernel's addresses have 32 bits. And random numbers for a guest's steps.
 */
#ifndef AMALGAM_HOST_PARA_RAM_H
#define AMALGAM_HOST_PARA_RAM_H

#include <stdlib.h>
#include <sys/mman.h>

#include "para.h"

#define RAM (1u << 20)

static u8 *ram;
static struct stage2 memory;
static u32 seed;

void *page_alloc(void) { return calloc(1, PAGE_SIZE); }
void page_free(void *page) { free(page); }

static inline void ram_begin(void)
{
    ram = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_true(ram != MAP_FAILED);
    assert_int_equal(stage2_init(&memory), 0);
    assert_int_equal(stage2_map(&memory, 0, (unsigned long)ram, RAM, S2_WRITE), 0);
}

/* A test's teardown. */
static inline int ram_end(void **unused)
{
    munmap(ram, RAM);
    stage2_free(&memory);
    return 0;
}

/* The seed must not be 0. */
static inline u32 random_below(u32 n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* Let a guest have code of ring 1 at 0x10, and code and data of ring 3 at 0x70 and 0x78. */
static inline void ram_descriptors(struct para_state *state)
{
    state->gdt[2] = 0x00cfbb000000ffffull;
    state->gdt[14] = 0x00cffb000000ffffull;
    state->gdt[15] = 0x00cff3000000ffffull;
}

#endif
