/* SPDX-License-Identifier: MIT */
/*
 * give.c - gives CPUs and memory to the kernel, and takes back what was just given. recover.c takes back everything.
 *
 * Whether Linux can set a memory block offline only shows when it tries. Blocks are tried from the highest down,
 * because few pages of the Linux kernel itself lie there. All blocks of one gift are adjacent, because a domain's
 * memory is contiguous. If a gift cannot be completed it is undone. A block is claimed before it is set offline, so
 * that the module's record has it if this process is killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

volatile int interrupted;

static void on_signal(int number) { interrupted = number; }

void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int give_cpu(unsigned cpu)
{
    struct amalgam_cpu args = { .cpu = cpu };
    return device_call(AMALGAM_CPU_GIVE, &args);
}

int take_cpu(unsigned cpu)
{
    struct amalgam_cpu args = { .cpu = cpu };
    return device_call(AMALGAM_CPU_TAKE, &args);
}

static struct amalgam_range range_of(unsigned block)
{
    u64 size = memory_block_size();
    return (struct amalgam_range){ .base = block * size, .size = size };
}

#define WRITE_MAX (4u << 20) /* bytes that the module takes at once */

/* Write the part of `content` that lies in this block; it ends at the upper end of the run. Returns 0 or errno. */
static int write_content(unsigned block, const struct content *content)
{
    struct amalgam_range range = range_of(block);
    u64 end = content->address + content->size, from = content->address > range.base ? content->address : range.base;
    u64 to = end < range.base + range.size ? end : range.base + range.size;
    if (from >= to)
        return 0;
    for (u64 at = from, n; at < to; at += n) {
        n = to - at < WRITE_MAX ? to - at : WRITE_MAX;
        struct amalgam_write write = { .base = at,
                                       .size = n,
                                       .from = (uintptr_t)content->bytes + (at - content->address) };
        int error = device_try(AMALGAM_MEM_WRITE, &write);
        if (error)
            return error;
    }
    return 0;
}

/* Returns the bytes that Linux keeps for page tables, buffers and what programs allocate next. */
static u64 reserve_of(u64 total) { return (64ull << 20) + total / 32; }

/* Linux moves a block's contents to other memory before it sets the block offline. If there is none it kills programs.
 */
int check_available(u64 size)
{
    u64 block = memory_block_size(), available, total;
    int error = memory_available(&available, &total);
    if (!block || error)
        return block ? fail("", "/proc/meminfo does not say what is available: %s", strerror(error))
                     : fail("use a kernel with CONFIG_MEMORY_HOTREMOVE", "this Linux cannot set memory offline");
    u64 want = (size + block - 1) / block, reserve = reserve_of(total);
    if (available > reserve && want <= (available - reserve) / block)
        return DONE;
    return fail("end programs, or ask for less",
                "%llu memory blocks of %llu MiB are wanted, but %llu MiB are available, and Linux keeps %llu MiB of "
                "these",
                (unsigned long long)want, (unsigned long long)block >> 20, (unsigned long long)available >> 20,
                (unsigned long long)reserve >> 20);
}

/* What became of a block: it is given; Linux keeps it, try another one; an error that ends the whole gift. */
enum tried { TRIED_GIVEN, TRIED_STAYS, TRIED_REFUSED };

static enum tried try_block(unsigned block, const struct content *content)
{
    struct amalgam_range range = range_of(block);
    if (!block_online(block))
        return TRIED_STAYS;
    int error = device_try(AMALGAM_MEM_CLAIM, &range);
    if (error && error != EBUSY && error != EINVAL) { /* EBUSY: it is offline; EINVAL: not all of it is RAM */
        device_call(AMALGAM_MEM_CLAIM, &range);
        return TRIED_REFUSED;
    }
    if (error)
        return TRIED_STAYS;
    if (check_available(memory_block_size()))
        return TRIED_REFUSED;
    if (block_set(block, false))
        return TRIED_STAYS;
    error = content ? write_content(block, content) : 0;
    if (!error && !device_call(AMALGAM_MEM_GIVE, &range))
        return TRIED_GIVEN;
    if (error)
        fail("try again", "memory block %u cannot be written: %s", block, strerror(error));
    block_set(block, true);
    return TRIED_REFUSED;
}

static int take_block(unsigned block)
{
    struct amalgam_range range = range_of(block);
    int status = device_call(AMALGAM_MEM_TAKE, &range);
    if (status)
        return status;
    int error = block_set(block, true);
    return error ? fail("amalgam recover", "memory block %u does not go online: %s", block, strerror(error)) : DONE;
}

int take_memory(const struct blocks *given)
{
    int status = DONE;
    for (unsigned i = given->n; i > 0; i--) {
        int one = take_block(given->number[i - 1]);
        status = status ? status : one;
    }
    return status;
}

/* Give a run of `want` blocks whose highest is `top` or below. A block that Linux keeps starts a new run below it. */
static enum tried try_run(unsigned top, unsigned want, struct blocks *given, struct content *content)
{
    enum tried tried = TRIED_STAYS;
    given->n = 0;
    for (unsigned block = top + 1; block-- > 1 && given->n < want && !interrupted && tried != TRIED_REFUSED;) {
        if (content && !given->n)
            content->address = ((block + 1) * memory_block_size() - content->size) & ~4095ull;
        tried = try_block(block, content);
        if (tried == TRIED_GIVEN) {
            given->number[given->n++] = block;
            continue;
        }
        take_memory(given);
        given->n = 0;
    }
    return given->n == want ? TRIED_GIVEN : tried == TRIED_REFUSED ? tried : TRIED_STAYS;
}

static unsigned highest_block(void)
{
    unsigned top = 0;
    for (unsigned n = 0; n < MAX_BLOCKS; n++)
        if (block_exists(n))
            top = n;
    return top;
}

int give_memory(u64 size, struct blocks *given, struct content *content)
{
    u64 block = memory_block_size();
    given->n = 0;
    if (!block)
        return fail("use a kernel with CONFIG_MEMORY_HOTREMOVE", "this Linux cannot set memory offline");
    u64 want = (size + block - 1) / block;
    int status = recover_offline();
    if (status)
        return status;
    if (want > sizeof(given->number) / sizeof(given->number[0]))
        return fail("ask for less", "%llu MiB are %llu memory blocks: too many", (unsigned long long)size >> 20,
                    (unsigned long long)want);
    status = check_available(size);
    if (status)
        return status;
    enum tried tried = try_run(highest_block(), (unsigned)want, given, content);
    if (tried == TRIED_GIVEN && !interrupted)
        return DONE;
    take_memory(given);
    given->n = 0;
    if (tried == TRIED_REFUSED)
        return FAILED; /* try_block() has printed why */
    return fail("ask for less, end programs, or boot with movablecore=SIZE so that memory can be set offline",
                "%s %llu adjacent blocks of %llu MiB",
                interrupted ? "interrupted before Linux could do without" : "Linux cannot do without",
                (unsigned long long)want, (unsigned long long)block >> 20);
}

int cmd_cpu(int n, char **word)
{
    u64 cpu;
    bool give = n == 2 && !strcmp(word[0], "give");
    if (n != 2 || (!give && strcmp(word[0], "take")) || !parse_number(word[1], &cpu) || cpu >= MAX_CPUS)
        return usage("cpu: give N or take N");
    struct amalgam_cpu args = { .cpu = (u32)cpu };
    bool already;
    int status = device_lock();
    if (!status)
        status = device_make(give ? AMALGAM_CPU_GIVE : AMALGAM_CPU_TAKE, &args, &already);
    return status || already ? status : say_done();
}

static int print_blocks(const struct blocks *b)
{
    for (unsigned i = 0; json && i < b->n; i++) {
        struct amalgam_range r = range_of(b->number[i]);
        printf("%s{\"base\": %llu, \"size\": %llu}%s", i ? ", " : "[", r.base, r.size, i + 1 < b->n ? "" : "]\n");
    }
    for (unsigned i = 0; !json && i < b->n; i++) {
        struct amalgam_range r = range_of(b->number[i]);
        printf("memory block %u: %llu MiB at %#llx\n", b->number[i], r.size >> 20, r.base);
    }
    return DONE;
}

int cmd_memory(int n, char **word)
{
    struct blocks blocks;
    u64 size;
    bool give = n == 2 && !strcmp(word[0], "give") && parse_size(word[1], &size) && size;
    if (!give && (n != 1 || strcmp(word[0], "take")))
        return usage("memory: give SIZE (such as 512M) or take");
    catch_signals();
    int status = device_lock();
    if (status)
        return status;
    if (give) {
        status = give_memory(size, &blocks, NULL);
        return status ? status : print_blocks(&blocks);
    }
    status = take_all_memory();
    return status ? status : say_done();
}
