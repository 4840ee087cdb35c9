/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - writes the initial stack of a program: argc, argv, environment and auxiliary vector in words of the
 * processor, and the strings above them (System V ABI, AMD64 supplement, 3.4.1).
 */
#include <errors.h>
#include <seed.h>
#include <string.h>

#include "arguments.h"
#include "elf.h"

enum {
    AT_NULL = 0,
    AT_PHDR = 3,
    AT_PHENT = 4,
    AT_PHNUM = 5,
    AT_PAGESZ = 6,
    AT_BASE = 7,
    AT_ENTRY = 9,
    AT_RANDOM = 25,   /* as Linux has it: where random bytes are, here PROCESS_SEED of them; 0: the board gave none */
    AT_HEAP = 0x1000, /* our own: the start and the end of the heap */
    AT_HEAP_END = 0x1001,
    AT_FILES = 0x1002, /* address and size of the archive of its files; both 0: none */
    AT_FILES_SIZE = 0x1003,
};

__noinline const void *process_files(const struct process *p, u64 *size)
{
    return sys_payload(system_table, sys_process(p->domain->conf)->files, size);
}

/* The strings of the domain's record: `argc` arguments, then the environment; each ends with a NUL. */
struct strings {
    const char *text;
    u64 size;
    u32 argc, envc;
};

static bool read_strings(const struct process *p, struct strings *s)
{
    const struct sys_domain *conf = p->domain->conf;
    const struct process_image *image = process_image(p);
    if (image) {
        *s = (struct strings){ image->strings, image->size, image->argc, image->envc };
        return true; /* they are checked */
    }
    *s = (struct strings){ .argc = sys_process(conf)->argc, .envc = sys_process(conf)->envc };
    s->text = sys_payload(system_table, sys_process(conf)->strings, &s->size);
    if (!s->text)
        s->size = 0;
    return s->argc <= PROCESS_MAX_STRINGS && s->envc <= PROCESS_MAX_STRINGS &&
           sys_strings_ok(s->text, s->size, s->argc + s->envc);
}

/* Write `n` pointers, `delta` added, to consecutive strings, and a NULL; advance *from past the strings. Returns the
 * next place to write to. */
static unsigned long *put_pointers(unsigned long *to, u32 n, const char **from, unsigned long delta)
{
    while (n--) {
        *to++ = (unsigned long)*from + delta;
        *from += strlen(*from) + 1;
    }
    *to++ = 0;
    return to;
}

#if SEED
/* Put random bytes to the stack's end. Returns where they are, or 0. */
static u64 put_seed(struct process *p)
{
    u64 at = p->stack - PROCESS_SEED;
    return process_seed(process_stack(p, at)) ? at : 0;
}
#endif

u64 process_arguments(struct process *p)
{
    struct strings s;
    u64 files_size = 0;
    const void *files = process_files(p, &files_size);
    const unsigned long aux[][2] = {
        { AT_PHDR, p->program.headers ? USER_BASE + p->program.headers : 0 },
        { AT_PHENT, sizeof(struct elf_segment) },
        { AT_PHNUM, p->program.n_headers },
        { AT_PAGESZ, PAGE_SIZE },
        { AT_BASE, USER_BASE },
        { AT_ENTRY, USER_BASE + p->program.entry },
        { AT_HEAP, p->heap },
        { AT_HEAP_END, p->heap_end },
        { AT_FILES, files ? p->files : 0 },
        { AT_FILES_SIZE, files_size },
#if SEED
        { AT_RANDOM, put_seed(p) },
#endif
        { AT_NULL, 0 },
    };
    if (!read_strings(p, &s))
        return 0;
    u64 words = 1 + s.argc + 1 + s.envc + 1, need = words * sizeof(long) + sizeof(aux);
    u64 top = p->stack - (SEED ? PROCESS_SEED : 0) - ALIGN_UP(s.size, (u64)16), at = top - ALIGN_UP(need, (u64)16);
    if (s.size + need + (SEED ? PROCESS_SEED : 0) > PROCESS_STRINGS)
        return 0;
    char *text = process_stack(p, top);
    memcpy(text, s.text, s.size);
    const char *next = text;
    unsigned long *to = process_stack(p, at), delta = (unsigned long)top - (unsigned long)text;
    *to++ = s.argc;
    to = put_pointers(to, s.argc, &next, delta);
    to = put_pointers(to, s.envc, &next, delta);
    memcpy(to, aux, sizeof(aux));
    return at;
}
