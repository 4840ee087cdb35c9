/* SPDX-License-Identifier: MIT */
/*
 * medium_test.h - a process with the tables of RISC-V (Sv39, Svnapot), all of whose memory is the host's, and what a
 * processor that knows pages of 64 KiB makes of the tables.
 */
#ifndef AMALGAM_TESTS_MEDIUM_TEST_H
#define AMALGAM_TESTS_MEDIUM_TEST_H

#include "threads.h"

#include <arch/boot.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <generated/process_calls.h>

#define csr_write(name, value) ((void)(value))
#define paging_flush()         ((void)0)
pte_t boot_table[1 + 2 * PT_TOP][PT_ENTRIES];
unsigned long kernel_satp;
struct machine machine;

#include "arch/riscv/user/space.c"
#include "process/medium.h"
#include "process/memory.h"
#include "process/pages.h"

#define MEDIUM SPACE_MEDIUM
#define BEFORE 3u  /* frames before the first aligned address, */
#define RUNS   2u  /* runs from there on, the first of which has frames that are used, */
#define BEHIND 20u /* and frames behind them: one group, and a part of another one */
#define FRAMES (BEFORE + RUNS * RUN_FRAMES + BEHIND)
#define USED   8u /* as the first stack: BEFORE, and five more */
#define TABLES 4u
#define FREE   (FRAMES - USED - TABLES)
#define MOST   (RUNS * RUN_FRAMES / SPACE_GROUP - 1 + 1)
#define AT(n)  (USER_BASE + GIB + (n)*MEDIUM) /* nothing is mapped there */

#include "pages_test.h"

static unsigned long turns = 1;

void user_load(struct user *u) { u->turn = *u->turns; }

static inline s64 map(u64 at, u64 n) { return process_call_map(&self, at, n, PROCESS_CALL_MAP_64K); }
static inline s64 map_small(u64 at, u64 n) { return process_call_map(&self, at, n, PROCESS_CALL_MAP_WRITE); }
static inline s64 unmap(u64 at, u64 n) { return process_call_unmap(&self, at, n); }
static inline s64 unmap_all(void) { return unmap(AT(0), 1024 * MEDIUM); }

static inline int begin(void **state)
{
    setup(state);
    machine.svnapot = true;
    pages_begin();
    self.user.turns = &turns;
    process_frames_init(&p);
    for (u64 at = AT(0); at < AT(96); at += SPACE_LARGE) /* their tables are frames of the process's */
        assert_true(map_small(at, PAGE_SIZE) > 0 && unmap(at, PAGE_SIZE) == 0);
    assert_int_equal(p.n_free, FREE);
    return 0;
}

/* Each run's list has as many frames as it says, and it is in the list where it is looked for. */
static inline void check_runs(void)
{
    u32 some = 0, whole = 0;
    for (u32 i = 0; i < process_runs(&p); i++) {
        u32 n = 0, large = run[i].n & FRAME_USED;
        for (u32 f = run[i].free; f != FRAME_NONE && !large; f = frame[f])
            n++;
        assert_true(large || n == run[i].n);
        some += n && n < RUN_FRAMES;
        whole += n == RUN_FRAMES;
    }
    for (const struct list *at = p.some.next; at != &p.some; at = at->next)
        some--;
    for (const struct list *at = p.whole.next; at != &p.whole; at = at->next)
        whole--;
    assert_true(!some && !whole);
}

static inline int end(void **state)
{
    check_runs();
    pages_end();
    return 0;
}

/* What the processor finds: the entry of the last level, by the tables' own bits (privileged architecture, 4.4.1). */
static inline u64 found(u64 at)
{
    u64 e = p.space.root[at >> 30 & 511];
    for (unsigned shift = 21; shift >= 12 && (e & 0xf) == 1; shift -= 9)
        e = ((const u64 *)(uintptr_t)(e >> 10 << 12))[at >> shift & 511];
    return e & 1 ? e : 0;
}

/* Where it goes from there: with N and 1000 in the lowest bits of the number, the address has these bits (5.1). */
static inline u8 *memory_of(u64 at)
{
    u64 e = found(at), number = e >> 10 & 0xfffffffffffull;
    assert_true(e && (!(e >> 63) || (number & 15) == 8));
    return (u8 *)(uintptr_t)((e >> 63 ? (number & ~15ull) | (at >> 12 & 15) : number) << 12 | (at & 4095));
}

static inline bool are_all(const bool *group)
{
    for (unsigned i = 0; i < 16; i++)
        if (!group[i])
            return false;
    return true;
}

static inline bool is_one(u64 at, unsigned bits)
{
    u64 e = found(at);
    for (u64 i = 0; i < 16; i++)
        if (found(at + i * 4096) != e || memory_of(at + i * 4096) != memory_of(at) + i * 4096)
            return false;
    return e >> 63 && (e & 0x3ff) == bits && (uintptr_t)memory_of(at) % MEDIUM == 0;
}

#endif
