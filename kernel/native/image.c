/* SPDX-License-Identifier: MIT */
/* image.c - a native program in memory: the image, then stacks and heap, the arguments at the end. */
#include <core/system_table.h>
#include <errors.h>
#include <string.h>

#include "native.h"

#define MAX_ARGUMENTS 256

static int arguments(struct native *p, unsigned rank, unsigned members)
{
    const struct sys_domain *conf = p->domain->conf;
    u64 size = 0;
    const char *text = sys_payload(system_table, conf->process.strings, &size);
    u32 argc = conf->process.argc, stack = ALIGN_UP(p->image.size, PAGE_SIZE), memory = (u32)conf->memory;
    u32 heap = stack + members * NATIVE_STACK;
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
    if (rank == 0) {
        memcpy(to, text, size);
        for (u32 i = 0; i < argc; i++, to += strlen(to) + 1)
            argv[i] = to;
        argv[argc] = NULL;
    }
    p->calls.argc = (int)argc;
    p->calls.argv = argv;
    p->calls.stack = (char *)p->memory + stack + rank * NATIVE_STACK;
    p->calls.stack_end = p->calls.stack + NATIVE_STACK;
    p->calls.heap = (char *)p->memory + heap;
    p->calls.end = (char *)end;
    return 0;
}

int native_load(struct native *p, unsigned rank, unsigned members)
{
    u64 size;
    const char *why = "the arguments do not fit, or are not what the record says";
    const void *file = sys_payload(system_table, p->domain->conf->process.program, &size);
    int err = rank ? 0 : elf32_load(file, &p->image, p->memory, &why);
    native_calls_init(&p->calls);
    if (!err)
        err = arguments(p, rank, members);
    if (err)
        strlcpy(p->domain->reason, why, sizeof(p->domain->reason));
    return err;
}
