/* SPDX-License-Identifier: MIT */
/*
 * image.c - a native program in memory: the image, then its stack and heap, the arguments at the end. A shared program
 * has a stack for each of its cores, in their order, and below each a page that nobody touches. A push to it is a fault
 * whose frame cannot be pushed, so that the thread ends instead of writing over another stack.
 */
#include <errors.h>
#include <string.h>

#include "native.h"

#define MAX_ARGUMENTS 256

/* Returns how many of the program's cores have a number below `below`. */
static unsigned count_cores(const struct native *p, unsigned below)
{
    unsigned n = 0;
    for (unsigned core = 0; core < below; core++)
        n += p->cores >> core & 1;
    return n;
}

/* Place the stacks after `at`. Returns the offset behind them. */
static u32 place_stacks(struct native *p, u32 at)
{
    u32 size = native_stack(p), guard = p->image.shared ? PAGE_SIZE : 0;
    unsigned before = p->image.shared ? count_cores(p, scc_core) : 0;
    p->calls.stack = (char *)p->memory + at + before * (size + guard) + guard;
    p->calls.stack_end = p->calls.stack + size;
    return at + (p->image.shared ? count_cores(p, SCC_CORES) : 1) * (size + guard);
}

static int arguments(struct native *p, bool first)
{
    const struct sys_domain *conf = p->domain->conf;
    u64 size = 0;
    const char *text = sys_payload(system_table, sys_process(conf)->strings, &size);
    u32 argc = sys_process(conf)->argc, memory = (u32)conf->memory;
    u32 heap = place_stacks(p, ALIGN_UP(p->image.size, PAGE_SIZE));
    if (!text)
        size = 0;
    if (argc > MAX_ARGUMENTS || !sys_strings_ok(text, size, argc) || heap + PAGE_SIZE > memory)
        return -E2BIG;
    u64 need = ALIGN_UP(size, (u64)16) + ALIGN_UP((argc + 1) * sizeof(char *), (u64)16);
    if (need > memory - heap)
        return -E2BIG;
    u8 *end = p->memory + memory - need;
    char *to = (char *)end + ALIGN_UP((argc + 1) * sizeof(char *), 16ul);
    char **argv = (char **)end;
    if (first) {
        memcpy(to, text, size);
        for (u32 i = 0; i < argc; i++, to += strlen(to) + 1)
            argv[i] = to;
        argv[argc] = NULL;
    }
    p->calls.argc = (int)argc;
    p->calls.argv = argv;
    p->calls.heap = (char *)p->memory + heap;
    p->calls.end = (char *)end;
    return 0;
}

int native_load(struct native *p, bool first)
{
    u64 size;
    const char *why = "the arguments do not fit, or are not what the record says";
    const void *file = sys_payload(system_table, sys_process(p->domain->conf)->program, &size);
    int err = first ? elf32_load(file, &p->image, p->memory, &why) : 0;
    native_calls_init(p);
    if (!err)
        err = arguments(p, first);
    if (err)
        strlcpy(p->domain->reason, why, sizeof(p->domain->reason));
    return err;
}
