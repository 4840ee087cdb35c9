/* SPDX-License-Identifier: MIT */
/* process_image.h - puts a program, its arguments and its auxiliary vector into memory, for process_runner.c. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include <elf.h>
#include <sys/mman.h>

#include "process_memory.h"
#include "process_runner.h"

static void map(uint64_t at, uint64_t size)
{
    if (memory_map(at, size, AMALGAM_MAP_WRITE) != (int64_t)at)
        fail("process_runner: no memory where processes are", 2);
}

/* Returns where the image ends. */
static uint64_t load(const char *file)
{
    const Elf64_Ehdr *h = (const void *)file;
    const Elf64_Phdr *s = (const void *)(file + h->e_phoff);
    uint64_t end = 0;
    for (unsigned i = 0; i < h->e_phnum; i++) {
        if (s[i].p_type != PT_LOAD)
            continue;
        uint64_t start = (BASE + s[i].p_vaddr) & -PAGE,
                 size = ALIGN_UP(BASE + s[i].p_vaddr + s[i].p_memsz, PAGE) - start;
        int rights = s[i].p_flags & PF_X   ? AMALGAM_PROTECT_EXEC
                     : s[i].p_flags & PF_W ? AMALGAM_PROTECT_WRITE
                                           : AMALGAM_PROTECT_READ;
        map(start, size);
        memcpy((void *)(BASE + s[i].p_vaddr), file + s[i].p_offset, s[i].p_filesz);
        memory_protect(start, size, (uint64_t)rights);
        end = start + size;
    }
    return end;
}

static const char *open_file(const char *name, uint64_t *size)
{
    struct {
        char stat[48];
        uint64_t size;
        char rest[200];
    } status;
    long fd = LINUX(open, name, 0, 0, 0, 0, 0);
    if (fd < 0 || LINUX(fstat, fd, &status, 0, 0, 0, 0))
        fail("process_runner: there is no such program", 2);
    *size = status.size;
    return (const char *)LINUX(mmap, 0, status.size, PROT_READ, MAP_PRIVATE, fd, 0);
}

static uint64_t number_of(const char *text)
{
    uint64_t value = 0;
    for (; *text; text++)
        value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

/* argc, argv, environment and vector, with their strings above; returns where they begin. */
static uint64_t arguments(uint64_t top, char **words, const uint64_t (*vector)[2], size_t n_vector)
{
    char *at = (char *)top;
    uint64_t place[256], argc = 0, n = 0, split = 0;
    for (char **w = words; *w && n < 256; w++) {
        if (!split && length(*w) == 2 && (*w)[0] == '-' && (*w)[1] == '-') {
            split = 1;
            continue;
        }
        at -= length(*w) + 1;
        memcpy(at, *w, length(*w) + 1);
        place[n++] = (uint64_t)at;
        argc += !split;
    }
    uint64_t words_needed = 1 + argc + 1 + (n - argc) + 1 + 2 * n_vector;
    uint64_t *to = (uint64_t *)(((uint64_t)at - words_needed * 8) & -16ull), *start = to;
    *to++ = argc;
    for (uint64_t i = 0; i < n; i++) {
        if (i == argc)
            *to++ = 0;
        *to++ = place[i];
    }
    if (n == argc)
        *to++ = 0;
    *to++ = 0;
    memcpy(to, vector, n_vector * 16);
    return (uint64_t)start;
}

#endif
