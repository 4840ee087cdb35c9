/* SPDX-License-Identifier: MIT */
/* process_memory.h - for process_runner.c: the calls map, unmap and protect, with the bound that the kernel keeps. A
 * page that the process has is one entry of a list. */
#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H

#include <stdbool.h>
#include <sys/mman.h>

#include "../../user/include/amalgam/calls.h"
#include "process_runner.h"

#define BASE                   0x8000000000ull
#define END                    0x10000000000ull
#define PAGE                   4096ull
#define ALIGN_UP(value, align) (((value) + (align)-1) & -(uint64_t)(align))

static struct {
    uint32_t lock;
    uint64_t most, n, next_place;
    uint64_t *page; /* their addresses */
} memory;

static void memory_lock(void)
{
    while (__atomic_exchange_n(&memory.lock, 1, __ATOMIC_ACQUIRE))
        LINUX(sched_yield, 0, 0, 0, 0, 0, 0);
}

static void memory_unlock(void) { __atomic_store_n(&memory.lock, 0, __ATOMIC_RELEASE); }

static void memory_begin(uint64_t bytes)
{
    memory.most = bytes / PAGE;
    long at =
        LINUX(mmap, 0, ALIGN_UP(memory.most * 8, PAGE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0)
        fail("process_runner: no memory", 2);
    memory.page = (uint64_t *)at;
}

static int rights_of(uint64_t protection)
{
    return PROT_READ | (protection == AMALGAM_MAP_WRITE ? PROT_WRITE : 0) |
           (protection == AMALGAM_MAP_EXEC ? PROT_EXEC : 0);
}

static int64_t memory_check(uint64_t at, uint64_t size)
{
    if (!size || (at | size) % PAGE)
        return -AMALGAM_EINVAL;
    return at < BASE || at >= END || size > END - at ? -AMALGAM_EFAULT : 0;
}

/* Those of [at, at + size) that the process has: how many; and they go if they are to. Under the lock. */
static uint64_t pages_in(uint64_t at, uint64_t size, bool go)
{
    uint64_t n = 0;
    for (uint64_t i = memory.n; i--;) {
        if (memory.page[i] - at >= size)
            continue;
        n++;
        if (go) {
            LINUX(munmap, memory.page[i], PAGE, 0, 0, 0, 0);
            memory.page[i] = memory.page[--memory.n];
        }
    }
    return n;
}

static int64_t memory_map(uint64_t at, uint64_t size, uint64_t protection)
{
    int64_t err = memory_check(at ? at : BASE, size);
    if (protection > AMALGAM_MAP_EXEC || err)
        return protection > AMALGAM_MAP_EXEC ? -AMALGAM_ERANGE : err;
    memory_lock();
    if (size / PAGE > memory.most - memory.n) {
        err = -AMALGAM_ENOMEM;
    } else if (at && pages_in(at, size, false)) {
        err = -AMALGAM_EEXIST;
    } else {
        if (!at) {
            at = memory.next_place + PAGE;
            memory.next_place = at + size;
        }
        err = LINUX(mmap, at, size, rights_of(protection), MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        for (uint64_t done = 0; err == (int64_t)at && done < size; done += PAGE)
            memory.page[memory.n++] = at + done;
    }
    memory_unlock();
    return err;
}

static int64_t memory_unmap(uint64_t at, uint64_t size)
{
    int64_t err = memory_check(at, size);
    memory_lock();
    if (!err)
        pages_in(at, size, true);
    memory_unlock();
    return err;
}

static int64_t memory_protect(uint64_t at, uint64_t size, uint64_t protection)
{
    int64_t err = memory_check(at, size);
    if (protection > AMALGAM_PROTECT_EXEC || err)
        return protection > AMALGAM_PROTECT_EXEC ? -AMALGAM_ERANGE : err;
    memory_lock();
    if (pages_in(at, size, false) < size / PAGE)
        err = -AMALGAM_EFAULT;
    else
        err = LINUX(mprotect, at, size, rights_of(protection), 0, 0, 0);
    memory_unlock();
    return err;
}

#endif
