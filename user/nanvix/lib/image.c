/* SPDX-License-Identifier: MIT */
/* image.c - see image.h. ELF: System V ABI, "Object Files" and "Program Loading". */
#include "image.h"

#include <posix/errno.h>
#include <stdint.h>
#include <string.h>

/* The fields have the processor's width. */
struct header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uintptr_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum;
};

#if UINTPTR_MAX == UINT32_MAX
#define CLASS 1
struct segment {
    uint32_t type, offset, vaddr, paddr, filesz, memsz, flags, align;
};
#else
#define CLASS 2
struct segment {
    uint32_t type, flags;
    uint64_t offset, vaddr, paddr, filesz, memsz, align;
};
#endif
#define LOAD 1

long image_size(const void *file, size_t size)
{
    struct header h;
    if (!file || size < sizeof(h))
        return -ENOEXEC;
    memcpy(&h, file, sizeof(h));
    size_t table = h.phnum * sizeof(struct segment), needed = sizeof(h);
    if (memcmp(h.ident, "\177ELF", 4) || h.ident[4] != CLASS || h.phentsize != sizeof(struct segment) ||
        h.phoff > size || table > size - h.phoff)
        return -ENOEXEC;
    if (h.phoff + table > needed)
        needed = h.phoff + table;
    for (unsigned i = 0; i < h.phnum; i++) {
        struct segment s;
        memcpy(&s, (const char *)file + h.phoff + i * sizeof(s), sizeof(s));
        if (s.type != LOAD)
            continue;
        if (s.offset > size || s.filesz > size - s.offset)
            return -ENOEXEC;
        if (s.offset + s.filesz > needed)
            needed = s.offset + s.filesz;
    }
    return (long)needed;
}
