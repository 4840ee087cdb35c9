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
    f->node = 0;
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
        if (node == f->node) /* its properties are known */
            t.next = f->rest;
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

/* The next property of a node from token *at on, which moves behind it; false: there is none. */
static __init_text bool next_property(const struct fdt *f, u32 *at, struct fdt_property *property)
{
    struct token t;
    while (token_at(f, *at, &t) && (t.kind == PROPERTY || t.kind == NOP)) {
        const u8 *p = f->structure + *at;
        *at = t.next;
        if (t.kind == NOP)
            continue;
        *property = (struct fdt_property){ .value = p + 12, .name = cell(p + 8), .size = cell(p + 4) };
        return true;
    }
    return false;
}

/* Note the first properties of a node. */
static __init_text void look(struct fdt *f, u32 node)
{
    struct token t;
    f->node = node;
    f->n = 0;
    f->rest = token_at(f, node - 1, &t) ? t.next : node - 1;
    while (f->n < FDT_NOTED && next_property(f, &f->rest, &f->property[f->n]))
        f->n++;
}

static __init_text bool is_named(const struct fdt *f, u32 string, const char *name)
{
    do {
        if (string >= f->strings_size || f->strings[string++] != (u8)*name)
            return false;
    } while (*name++);
    return true;
}

__init_text const u8 *fdt_property(struct fdt *f, u32 node, const char *name, u32 *size)
{
    struct fdt_property more;
    const struct fdt_property *p = f->property;
    if (f->node != node)
        look(f, node);
    while (p < &f->property[f->n] && !is_named(f, p->name, name))
        p++;
    if (p == &f->property[f->n]) {
        u32 at = f->rest;
        do {
            if (f->n < FDT_NOTED || !next_property(f, &at, &more))
                return NULL;
        } while (!is_named(f, more.name, name));
        p = &more;
    }
    *size = p->size;
    return p->value;
}

__init_text u32 fdt_cell(struct fdt *f, u32 node, const char *name, u32 otherwise)
{
    u32 size;
    const u8 *value = fdt_property(f, node, name, &size);
    return value && size == 4 ? cell(value) : otherwise;
}

__init_text bool fdt_list_has(const u8 *value, u32 size, const char *wanted)
{
    u32 length;
    for (; value && (length = string_size(value, size)); value += length, size -= length)
        if (!strcmp((const char *)value, wanted))
            return true;
    return false;
}

__init_text bool fdt_lists(struct fdt *f, u32 node, const char *name, const char *wanted)
{
    u32 size = 0;
    const u8 *value = fdt_property(f, node, name, &size);
    return fdt_list_has(value, size, wanted);
}
