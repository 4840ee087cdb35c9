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

static const char *const names[FDT_NAMES] = {
    [FDT_ADDRESS_CELLS] = "#address-cells",
    [FDT_SIZE_CELLS] = "#size-cells",
    [FDT_REG] = "reg",
    [FDT_COMPATIBLE] = "compatible",
    [FDT_DEVICE_TYPE] = "device_type",
    [FDT_STATUS] = "status",
    [FDT_ISA] = "riscv,isa",
    [FDT_PHANDLE] = "phandle",
    [FDT_INTERRUPTS] = "interrupts",
    [FDT_INTERRUPTS_EXTENDED] = "interrupts-extended",
    [FDT_REG_SHIFT] = "reg-shift",
    [FDT_TIMEBASE_FREQUENCY] = "timebase-frequency",
    [FDT_BOOTARGS] = "bootargs",
#if SEED
    [FDT_RNG_SEED] = "rng-seed",
#endif
    [FDT_INITRD_START] = "linux,initrd-start",
    [FDT_INITRD_END] = "linux,initrd-end",
    [FDT_NUMBER] = "number",
    [FDT_COUNT] = "count",
    [FDT_NOC] = "noc",
    [FDT_OUTBOX] = "outbox",
    [FDT_DOORBELLS] = "doorbells",
    [FDT_RINGS] = "rings",
    [FDT_PATIENCE] = "patience",
    [FDT_AWAKE] = "awake",
    [FDT_ZEROED] = "zeroed",
    [FDT_CLUSTERS] = "clusters",
    [FDT_HARTS] = "harts",
    [FDT_SSTC] = "sstc",
    [FDT_SVNAPOT] = "svnapot",
};
static const char own[8] = { 'a', 'm', 'a', 'l', 'g', 'a', 'm', ',' };

static inline __attribute__((always_inline)) u32 cell(const u8 *p)
{
    return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

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
    f->begun = f->node = f->next = 0;
    memset(f->found, 0, sizeof(f->found));
    memset(f->known, 0, sizeof(f->known));
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

/* The first token of a node's contents; 0: the node is damaged. */
static __init_text u32 body_of(const struct fdt *f, u32 node)
{
    struct token t;
    if (node == f->begun)
        return f->body;
    return token_at(f, node - 1, &t) ? t.next : 0;
}

__init_text u32 fdt_next(struct fdt *f, u32 node, unsigned *depth)
{
    struct token t = { 0 };
    int level = -1; /* the depth of the last node that has begun */
    if (node) {
        t.next = node == f->node ? f->rest : body_of(f, node); /* its properties are known */
        level = (int)*depth;
        if (!t.next)
            return 0;
    }
    while (token_at(f, t.next, &t)) {
        if (t.kind == BEGIN_NODE) {
            if (level + 1 > FDT_MAX_DEPTH)
                return 0;
            *depth = (unsigned)(level + 1);
            f->begun = t.at + 1;
            f->body = t.next;
            return t.at + 1;
        }
        if (t.kind == END_NODE && --level < 0)
            return 0;
    }
    return 0;
}

__init_text const char *fdt_name(const struct fdt *f, u32 node) { return (const char *)f->structure + node - 1 + 4; }

static __init_text bool is_named(const struct fdt *f, u32 string, const char *name)
{
    do {
        if (string >= f->strings_size || f->strings[string++] != (u8)*name)
            return false;
    } while (*name++);
    return true;
}

/* Two letters tell most names apart. The search begins behind the name that was found last: the trees of our own boards
 * have names in the order of enum fdt_name. */
static __init_text unsigned compare(struct fdt *f, u32 string)
{
    u32 room = string < f->strings_size ? f->strings_size - string : 0;
    bool ours = room > sizeof(own) + 1 && !memcmp(f->strings + string, own, sizeof(own));
    if (ours)
        string += sizeof(own);
    if (room < 2)
        return FDT_NAMES;
    char first = (char)f->strings[string], second = (char)f->strings[string + 1];
    unsigned low = ours ? FDT_NUMBER : 0, high = ours ? FDT_NAMES : FDT_NUMBER;
    unsigned i = f->next >= low && f->next < high ? f->next : low;
    for (unsigned n = high - low; n; n--, i = i + 1 < high ? i + 1 : low)
        if (names[i][0] == first && names[i][1] == second && is_named(f, string, names[i])) {
            f->next = i + 1;
            return i;
        }
    return FDT_NAMES;
}

/* The name at an offset of the strings block; FDT_NAMES: none that is asked for. */
static __init_text unsigned name_at(struct fdt *f, u32 string)
{
    if (string >= FDT_KNOWN)
        return compare(f, string);
    if (!f->known[string])
        f->known[string] = (u8)(compare(f, string) + 1);
    return f->known[string] - 1u;
}

/* Read the properties of a node, of those with the same name the first one. */
static __init_text void look(struct fdt *f, u32 node)
{
    u32 at = body_of(f, node), size;
    f->node = node;
    while (at && at <= f->structure_size && f->structure_size - at >= 4) {
        const u8 *p = f->structure + at;
        u32 kind = cell(p), room = f->structure_size - at;
        if (kind == NOP) {
            at += 4;
            continue;
        }
        if (kind != PROPERTY || room < 12 || (size = cell(p + 4)) > room - 12)
            break;
        at += 12 + ALIGN_UP(size, 4u);
        unsigned name = name_at(f, cell(p + 8));
        if (name == FDT_NAMES || f->found[name].node == node)
            continue;
        f->found[name].node = node;
        f->found[name].size = size;
        f->found[name].value = p + 12;
    }
    f->rest = at;
}

__init_text const u8 *fdt_property(struct fdt *f, u32 node, enum fdt_name name, u32 *size)
{
    if (f->node != node)
        look(f, node);
    if (f->found[name].node != node)
        return NULL;
    *size = f->found[name].size;
    return f->found[name].value;
}

__init_text u32 fdt_cell(struct fdt *f, u32 node, enum fdt_name name, u32 otherwise)
{
    u32 size;
    const u8 *value = fdt_property(f, node, name, &size);
    return value && size == 4 ? cell(value) : otherwise;
}

__init_text u64 fdt_number(struct fdt *f, u32 node, enum fdt_name name)
{
    u32 size;
    const u8 *value = fdt_property(f, node, name, &size);
    return value && (size == 4 || size == 8) ? fdt_cells_at(value, 0, size / 4) : 0;
}

__init_text bool fdt_list_has(const u8 *value, u32 size, const char *wanted)
{
    u32 length;
    for (; value && (length = string_size(value, size)); value += length, size -= length)
        if (!strcmp((const char *)value, wanted))
            return true;
    return false;
}

__init_text bool fdt_lists(struct fdt *f, u32 node, enum fdt_name name, const char *wanted)
{
    u32 size = 0;
    const u8 *value = fdt_property(f, node, name, &size);
    return fdt_list_has(value, size, wanted);
}
