/* SPDX-License-Identifier: MIT */
/* fdt.c - a reader of device trees; arch/fdt.h. */
#include <arch/fdt.h>
#include <errors.h>
#include <string.h>

#define MAGIC 0xd00dfeedu

enum {
    TOTAL = 4,
    STRUCTURE = 8,
    STRINGS = 12,
    LAST_COMPATIBLE = 24,
    STRINGS_SIZE = 32,
    STRUCTURE_SIZE = 36,
    HEADER = 40
};
enum { BEGIN_NODE = 1, END_NODE = 2, PROPERTY = 3, NOP = 4, END = 9 };

static __init_text u32 cell(const u8 *p) { return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }

__init_text u32 fdt_cell_at(const u8 *value, u32 i) { return cell(value + 4 * i); }

__init_text u64 fdt_cells_at(const u8 *value, u32 i, u32 n)
{
    u64 v = 0;
    for (u32 k = 0; k < n; k++)
        v = v << 32 | fdt_cell_at(value, i + k);
    return v;
}

__init_text u32 fdt_total_size(const void *blob) { return cell((const u8 *)blob + TOTAL); }

__init_text int fdt_open(struct fdt *f, const void *blob, u32 max)
{
    const u8 *b = blob;
    if (max < HEADER || cell(b) != MAGIC || cell(b + LAST_COMPATIBLE) > 17)
        return -EINVAL;
    u32 total = fdt_total_size(b), at = cell(b + STRUCTURE), strings = cell(b + STRINGS);
    f->structure_size = cell(b + STRUCTURE_SIZE);
    f->strings_size = cell(b + STRINGS_SIZE);
    if (total > max || at > total || f->structure_size > total - at || strings > total ||
        f->strings_size > total - strings)
        return -EINVAL;
    f->structure = b + at;
    f->strings = b + strings;
    return 0;
}

/* The length of a string with its NUL, or 0 if it does not end within `room` bytes. */
static __init_text u32 string_size(const u8 *s, u32 room)
{
    u32 n = 0;
    while (n < room && s[n])
        n++;
    return n < room ? n + 1 : 0;
}

struct token {
    u32 kind, at, next; /* its offset, and the next token's */
};

/* Read the token at `at`. Returns false if there is none or it is cut off. */
static __init_text bool token_at(const struct fdt *f, u32 at, struct token *t)
{
    if (f->structure_size < 4 || at > f->structure_size - 4)
        return false;
    u32 room = f->structure_size - at - 4, size = 0;
    const u8 *p = f->structure + at;
    *t = (struct token){ .kind = cell(p), .at = at };
    switch (t->kind) {
    case BEGIN_NODE:
        size = string_size(p + 4, room);
        if (!size)
            return false;
        break;
    case PROPERTY:
        if (room < 8 || cell(p + 4) > room - 8)
            return false;
        size = 8 + cell(p + 4);
        break;
    case END_NODE:
    case NOP: break;
    default: return false;
    }
    t->next = at + 4 + ALIGN_UP(size, 4u);
    return true;
}

__init_text u32 fdt_next(const struct fdt *f, u32 node, unsigned *depth)
{
    struct token t = { 0 };
    int level = -1; /* the depth of the last node that has begun */
    if (node) {
        if (!token_at(f, node - 1, &t))
            return 0;
        level = (int)*depth;
    }
    while (token_at(f, t.next, &t)) {
        if (t.kind == BEGIN_NODE) {
            if (level + 1 > FDT_MAX_DEPTH)
                return 0;
            *depth = (unsigned)(level + 1);
            return t.at + 1;
        }
        if (t.kind == END_NODE && --level < 0)
            return 0;
    }
    return 0;
}

__init_text const char *fdt_name(const struct fdt *f, u32 node) { return (const char *)f->structure + node - 1 + 4; }

__init_text const u8 *fdt_property(const struct fdt *f, u32 node, const char *name, u32 *size)
{
    struct token t;
    u32 length = (u32)strlen(name) + 1;
    for (u32 at = node - 1; token_at(f, at, &t); at = t.next) {
        if (t.kind == END_NODE || (t.kind == BEGIN_NODE && at != node - 1))
            break;
        if (t.kind != PROPERTY)
            continue;
        const u8 *p = f->structure + at;
        u32 string = cell(p + 8);
        if (string > f->strings_size || length > f->strings_size - string || memcmp(f->strings + string, name, length))
            continue;
        *size = cell(p + 4);
        return p + 12;
    }
    return NULL;
}

__init_text u32 fdt_cell(const struct fdt *f, u32 node, const char *name, u32 otherwise)
{
    u32 size;
    const u8 *value = fdt_property(f, node, name, &size);
    return value && size == 4 ? cell(value) : otherwise;
}

__init_text bool fdt_lists(const struct fdt *f, u32 node, const char *name, const char *wanted)
{
    u32 size, length;
    const u8 *value = fdt_property(f, node, name, &size);
    for (; value && (length = string_size(value, size)); value += length, size -= length)
        if (!strcmp((const char *)value, wanted))
            return true;
    return false;
}
