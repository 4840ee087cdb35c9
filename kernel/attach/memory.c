/* SPDX-License-Identifier: MIT */
/*
 * memory.c - memory that Linux gives and takes back.
 *
 *      GIVE    it is hidden from Linux by its nested tables
 *      FLUSH   on each CPU of Linux, which drops its translations of it
 *      COMMIT  all have flushed: the kernel may use it
 *      TAKE    none of it is in use: the kernel gives it up
 *      SHOW    in pieces of 2 MiB, cleared, it is Linux's again
 *
 * Linux is not trusted for the flush: each CPU's own call is recorded, and a CPU that has not called holds everything
 * up. Nor for which memory is RAM: only memory that was RAM when Linux loaded the kernel (when root had nothing to gain
 * yet) can be given. All under the lock of the calls.
 */
#include <attach/upcalls.h>
#include <boot_info.h>
#include <board/linux.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/attach.h>
#include <hal/memory.h>
#include <string.h>

#include "given.h"

#define LARGE_PAGE (2 * MIB)
#define MAX_RANGES 256 /* the command gives memory by blocks of Linux */

enum given_state { HIDDEN, USED, TAKEN };

static struct given {
    paddr_t base;
    u64 size, version;
    u8 state;    /* enum given_state */
    bool mapped; /* the kernel or a domain may have written there */
} given[MAX_RANGES];
static unsigned n_given;

static struct attach_chunk ram[ATTACH_MAX_RAM];
static unsigned n_ram;

__init_text int attach_memory_init(const struct attach_boot *boot)
{
    if (boot->n_ram > ATTACH_MAX_RAM)
        return -EINVAL;
    n_ram = boot->n_ram;
    memcpy(ram, boot->ram, sizeof(ram));
    return 0;
}

/* Returns how many bytes from `at` on are RAM in one entry of the map, without a gap. */
static u64 ram_at(paddr_t at)
{
    for (unsigned i = 0; i < n_ram; i++)
        if (at - ram[i].base < ram[i].size)
            return ram[i].size - (at - ram[i].base);
    return 0;
}

static bool is_ram(paddr_t base, u64 size)
{
    for (u64 done = 0, n; done < size; done += n) {
        n = ram_at(base + done);
        if (!n)
            return false;
    }
    return true;
}

static bool overlaps(paddr_t a, u64 a_size, paddr_t b, u64 b_size) { return a < b + b_size && b < a + a_size; }

/* Returns whether some of the range is the kernel's already, or must stay shared. */
static bool is_taken(paddr_t base, u64 size)
{
    for (unsigned i = 0; i < boot_info.n_regions; i++)
        if (overlaps(base, size, boot_info.region[i].base, boot_info.region[i].size))
            return true;
    for (unsigned i = 0; i < n_given; i++)
        if (overlaps(base, size, given[i].base, given[i].size))
            return true;
    return overlaps(base, size, 0, LARGE_PAGE) || linux_needs(base, size) ||
           overlaps(base, size, board_shared_base(), board_shared_size());
}

static struct given *find_given(paddr_t base, u64 size)
{
    for (unsigned i = 0; i < n_given; i++)
        if (given[i].base == base && given[i].size == size)
            return &given[i];
    return NULL;
}

static void remove_given(struct given *g) { *g = given[--n_given]; }

int attach_memory_give(paddr_t base, u64 size)
{
    u64 limit = physical_limit();
    if (!size || !IS_ALIGNED(base | size, LARGE_PAGE) || base >= limit || size > limit - base)
        return -EINVAL;
    if (is_taken(base, size))
        return -EEXIST;
    if (!is_ram(base, size))
        return -EINVAL;
    if (!attach_may_give())
        return -EAGAIN;
    if (n_given == MAX_RANGES)
        return -ENOSPC;
    int err = linux_hide(base, size);
    if (err)
        return err;
    given[n_given++] = (struct given){ .base = base, .size = size, .version = linux_space_version, .state = HIDDEN };
    return 0;
}

/* Map a range. Stacks may be mapped meanwhile under another lock, but in other tables. Memory that was given before
 * is still mapped. */
static int map(paddr_t base, u64 size)
{
    int err = 0;
    for (u64 at = 0; at < size && !err; at += LARGE_PAGE) {
        err = hal_map_given(base + at);
        if (err == -EEXIST)
            err = 0;
    }
    return err;
}

int attach_memory_commit(paddr_t base, u64 size)
{
    struct given *g = find_given(base, size);
    if (!g || g->state != HIDDEN)
        return -ENOENT;
    if (!linux_all_flushed(g->version))
        return -EAGAIN;
    int err = map(base, size);
    if (!err)
        err = frames_give(base, size);
    if (err)
        return err;
    g->mapped = true;
    g->state = USED;
    return 0;
}

int attach_memory_take(paddr_t base, u64 size)
{
    struct given *g = find_given(base, size);
    if (!g || g->state == TAKEN)
        return -ENOENT;
    int err = g->state == USED ? frames_take(base, size) : 0;
    if (!err)
        g->state = TAKEN;
    return err;
}

int attach_memory_show(paddr_t base, u64 size)
{
    for (unsigned i = 0; i < n_given; i++) {
        struct given *g = &given[i];
        if (g->state != TAKEN || g->base != base || size != LARGE_PAGE)
            continue;
        if (g->mapped) {
            memset(phys_to_virt(base), 0, LARGE_PAGE);
            hal_write_back_range(phys_to_virt(base), LARGE_PAGE); /* INVD on a bare CPU would show the old contents */
        }
        linux_show(base, LARGE_PAGE);
        g->base += LARGE_PAGE;
        g->size -= LARGE_PAGE;
        if (!g->size)
            remove_given(g);
        return 0;
    }
    return -ENOENT;
}

void attach_memory_scrub(void)
{
    for (unsigned i = 0; i < n_given; i++)
        if (given[i].mapped)
            memset(phys_to_virt(given[i].base), 0, given[i].size);
}

u64 attach_memory_given(void)
{
    u64 sum = 0;
    for (unsigned i = 0; i < n_given; i++)
        sum += given[i].size;
    return sum;
}
