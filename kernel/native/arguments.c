/* SPDX-License-Identifier: MIT */
/* arguments.c - where stack and heap of a native program are, and its arguments at the end of its memory. */
#include <core/system_table.h>
#include <errors.h>
#include <string.h>

#include "native.h"

#define MAX_ARGUMENTS 256

int native_arguments(struct native *p)
{
    const struct sys_domain *conf = p->domain->conf;
    u64 size = 0;
    const char *text = sys_payload(system_table, conf->process.strings, &size);
    u32 argc = conf->process.argc, stack = ALIGN_UP(p->image.size, PAGE_SIZE), memory = (u32)conf->memory;
    if (!text)
        size = 0;
    if (argc > MAX_ARGUMENTS || !sys_strings_ok(text, size, argc) || stack + NATIVE_STACK + PAGE_SIZE > memory)
        return -E2BIG;
    u64 need = ALIGN_UP(size, (u64)16) + ALIGN_UP((argc + 1) * sizeof(char *), (u64)16);
    if (need > memory - stack - NATIVE_STACK)
        return -E2BIG;
    u8 *end = p->memory + memory - need;
    char *to = (char *)end + ALIGN_UP((argc + 1) * sizeof(char *), 16ul);
    char **argv = (char **)end;
    memcpy(to, text, size);
    for (u32 i = 0; i < argc; i++, to += strlen(to) + 1)
        argv[i] = to;
    argv[argc] = NULL;
    p->calls.argc = (int)argc;
    p->calls.argv = argv;
    p->calls.stack = (char *)p->memory + stack;
    p->calls.heap = p->calls.stack + NATIVE_STACK;
    p->calls.end = (char *)end;
    return 0;
}
