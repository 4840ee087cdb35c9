/* SPDX-License-Identifier: MIT */
/* process_memory.h - for process_runner.c: the calls of memory and of frames, with the bound that the kernel keeps. The
 * process's memory is a file, a frame a page of it; a page that is shown is one entry of a list. */
#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H

#include <stdbool.h>
#include <sys/mman.h>

#include "../../user/include/amalgam/calls.h"
#include "process_runner.h"

#define BASE                   0x8000000000ull
#define END                    (0x10000000000ull - (32ull << 20)) /* no call changes pages from here on */
#define PAGE                   4096ull
#define MOST_SHOWN             65536
#define HELD                   0x40000000u
#define PUNCH                  3 /* FALLOC_FL_PUNCH_HOLE, FALLOC_FL_KEEP_SIZE */
#define ALIGN_UP(value, align) (((value) + (align)-1) & -(uint64_t)(align))

static struct {
    uint32_t lock;
    uint64_t most, free, n, next_place;
    long file;
    uint32_t uses[MOST_SHOWN]; /* of each frame; and HELD */
    struct {
        uint64_t at;
        uint32_t frame;
        bool code;
    } shown[MOST_SHOWN];
} memory;

static void memory_lock(void)
{
    while (__atomic_exchange_n(&memory.lock, 1, __ATOMIC_ACQUIRE))
        LINUX(sched_yield, 0, 0, 0, 0, 0, 0);
}

static int64_t memory_unlock(int64_t result)
{
    __atomic_store_n(&memory.lock, 0, __ATOMIC_RELEASE);
    return result;
}

static void memory_begin(uint64_t bytes)
{
    memory.most = memory.free = bytes / PAGE;
    memory.file = LINUX(memfd_create, "process", 0, 0, 0, 0, 0);
    if (memory.most > MOST_SHOWN || memory.file < 0 || LINUX(ftruncate, memory.file, bytes, 0, 0, 0, 0))
        fail("process_runner: no memory", 2);
}

static int rights_of(uint64_t protection)
{
    return PROT_READ | (protection == AMALGAM_MAP_WRITE || protection == AMALGAM_MAP_LAZY ? PROT_WRITE : 0) |
           (protection == AMALGAM_MAP_EXEC ? PROT_EXEC : 0);
}

static int64_t memory_check(uint64_t at, uint64_t size)
{
    if (!size || (at | size) % PAGE)
        return -AMALGAM_EINVAL;
    return at < BASE || at >= END || size > END - at ? -AMALGAM_EFAULT : 0;
}

/* The rest is called under the lock. */

static int64_t frame_take(uint32_t uses)
{
    for (uint32_t i = 0; i < memory.most; i++)
        if (!memory.uses[i]) {
            memory.uses[i] = uses;
            memory.free--;
            return i;
        }
    return -AMALGAM_ENOMEM;
}

static void frame_drop(uint32_t frame, uint32_t uses)
{
    memory.uses[frame] -= uses;
    if (memory.uses[frame])
        return;
    memory.free++;
    LINUX(fallocate, memory.file, PUNCH, frame * PAGE, PAGE, 0, 0);
}

static int64_t frame_show(uint64_t at, uint32_t frame, uint64_t protection)
{
    int flags = MAP_SHARED | MAP_FIXED_NOREPLACE;
    int64_t err = LINUX(mmap, at, PAGE, rights_of(protection), flags, memory.file, frame * PAGE);
    if (err < 0)
        return err;
    memory.shown[memory.n].at = at;
    memory.shown[memory.n].frame = frame;
    memory.shown[memory.n++].code = protection == AMALGAM_MAP_EXEC;
    return 0;
}

static bool frame_held(uint64_t frame) { return frame < memory.most && memory.uses[frame] & HELD; }

/* The entry of a page, or -1. */
static int64_t page_at(uint64_t at)
{
    for (uint64_t i = 0; i < memory.n; i++)
        if (memory.shown[i].at == at)
            return (int64_t)i;
    return -1;
}

/* Those of [at, at + size) that the process has: how many; and they go if they are to. */
static uint64_t pages_in(uint64_t at, uint64_t size, bool go)
{
    uint64_t n = 0;
    for (uint64_t i = memory.n; i--;) {
        if (memory.shown[i].at - at >= size)
            continue;
        n++;
        if (go) {
            LINUX(munmap, memory.shown[i].at, PAGE, 0, 0, 0, 0);
            frame_drop(memory.shown[i].frame, 1);
            memory.shown[i] = memory.shown[--memory.n];
        }
    }
    return n;
}

/* The calls. */

static int64_t memory_map(uint64_t at, uint64_t size, uint64_t protection)
{
    int64_t err = protection >= AMALGAM_MAP_LARGE ? -AMALGAM_EOPNOTSUPP : memory_check(at ? at : BASE, size);
    if (protection > AMALGAM_MAP_64K || err)
        return protection > AMALGAM_MAP_64K ? -AMALGAM_ERANGE : err;
    memory_lock();
    if (size / PAGE > memory.free)
        return memory_unlock(-AMALGAM_ENOMEM);
    if (at && pages_in(at, size, false))
        return memory_unlock(-AMALGAM_EEXIST);
    if (!at) {
        at = memory.next_place + PAGE;
        memory.next_place = at + size;
    }
    for (uint64_t done = 0; done < size && !err; done += PAGE)
        err = frame_show(at + done, (uint32_t)frame_take(1), protection);
    return memory_unlock(err ? err : (int64_t)at);
}

static int64_t memory_unmap(uint64_t at, uint64_t size)
{
    int64_t err = memory_check(at, size);
    memory_lock();
    if (!err)
        pages_in(at, size, true);
    return memory_unlock(err);
}

static int64_t memory_protect(uint64_t at, uint64_t size, uint64_t protection)
{
    int64_t err = memory_check(at, size);
    if (protection > AMALGAM_PROTECT_EXEC || err)
        return protection > AMALGAM_PROTECT_EXEC ? -AMALGAM_ERANGE : err;
    memory_lock();
    if (pages_in(at, size, false) < size / PAGE)
        return memory_unlock(-AMALGAM_EFAULT);
    for (uint64_t done = 0; done < size && protection == AMALGAM_PROTECT_EXEC; done += PAGE)
        if (memory.uses[memory.shown[page_at(at + done)].frame] != 1)
            return memory_unlock(-AMALGAM_EACCES);
    for (uint64_t done = 0; done < size; done += PAGE)
        memory.shown[page_at(at + done)].code = protection == AMALGAM_PROTECT_EXEC;
    return memory_unlock(LINUX(mprotect, at, size, rights_of(protection), 0, 0, 0));
}

static int64_t memory_frame_alloc(void)
{
    memory_lock();
    return memory_unlock(frame_take(HELD));
}

static int64_t memory_frame_free(uint64_t frame)
{
    if (frame > 0xffffffff)
        return -AMALGAM_ERANGE;
    memory_lock();
    if (!frame_held(frame))
        return memory_unlock(-AMALGAM_ENOENT);
    frame_drop((uint32_t)frame, HELD);
    return memory_unlock(0);
}

static int64_t memory_frame_map(uint64_t at, uint64_t frame, uint64_t protection)
{
    int64_t err = memory_check(at, PAGE);
    if (protection > AMALGAM_FRAME_MAP_WRITE || frame > 0xffffffff || err)
        return err && protection <= AMALGAM_FRAME_MAP_WRITE && frame <= 0xffffffff ? err : -AMALGAM_ERANGE;
    memory_lock();
    err = !frame_held(frame)       ? -AMALGAM_ENOENT
          : memory.n == MOST_SHOWN ? -AMALGAM_ENOMEM
                                   : frame_show(at, (uint32_t)frame, protection);
    if (!err)
        memory.uses[frame]++;
    return memory_unlock(err);
}

static int64_t memory_frame_of(uint64_t at)
{
    int64_t err = memory_check(at, PAGE);
    if (err)
        return err;
    memory_lock();
    int64_t page = page_at(at);
    if (page < 0 || memory.shown[page].code)
        return memory_unlock(page < 0 ? -AMALGAM_EFAULT : -AMALGAM_EACCES);
    memory.uses[memory.shown[page].frame] |= HELD;
    return memory_unlock(memory.shown[page].frame);
}

#endif
