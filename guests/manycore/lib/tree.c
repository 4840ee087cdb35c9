/* SPDX-License-Identifier: MIT */
/* tree.c - reads the properties of the cluster's device tree that programs need, by name only, because each exists
 * once. */
#include "guest.h"

struct board board;

static u32 be32(const u8 *p) { return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3]; }

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Returns the value of two cells; a register of 32 bits keeps the lower one. */
static ulong wide(const u8 *p) { return (ulong)((u64)be32(p) << 32 | be32(p + 4)); }

static void range(const u8 *value, ulong *base, ulong *size)
{
    *base = wide(value);
    if (size)
        *size = wide(value + 8);
}

/* Read a property of the node amalgam,cluster, by the part of its name after the comma. */
static void about_board(const char *name, const u8 *value, u32 size)
{
    if (same(name, "number"))
        board.number = be32(value);
    else if (same(name, "count"))
        board.count = be32(value);
    else if (same(name, "noc"))
        range(value, &board.noc, &board.noc_size);
    else if (same(name, "outbox"))
        range(value, &board.outbox, &board.outbox_size);
    else if (same(name, "doorbells"))
        range(value, &board.doorbells, NULL);
    else if (same(name, "clusters"))
        for (u32 i = 0; i + 16 <= size; i += 16)
            board.around[board.n_around++] =
                (struct around){ be32(value + i), be32(value + i + 4), be32(value + i + 8), be32(value + i + 12) };
}

/* Note a hart. They come in the tree's order: first the master, then the others. */
static void hart(u32 number)
{
    if (!board.n_harts)
        board.master = number;
    else if (board.n_harts == 1)
        board.first_slave = number;
    board.n_harts++;
}

/* Read a property. A tree has hundreds, so most are rejected by their first letter. */
static void property(const char *node, const char *name, const u8 *value, u32 size)
{
    if (name[0] == 'a')
        about_board(name + sizeof("amalgam,") - 1, value, size);
    else if (name[0] == 'b' && same(name, "bootargs"))
        board.bootargs = (const char *)value;
    else if (name[0] == 'l' && same(name, "linux,initrd-start"))
        range(value, &board.module, NULL);
    else if (name[0] == 'l' && same(name, "linux,initrd-end"))
        range(value, &board.module_end, NULL);
    else if (name[0] != 'r' || !same(name, "reg"))
        return;
    else if (node[0] == 'm') /* memory@ */
        range(value, &board.memory, &board.memory_size);
    else if (node[0] == 'c') /* cpu@ */
        hart(be32(value));
}

void tree_read(const void *tree)
{
    const u8 *blob = tree, *at = blob + be32(blob + 8);
    const char *strings = (const char *)blob + be32(blob + 12), *node = "";
    for (;;) {
        u32 token = be32(at);
        at += 4;
        if (token == 1) { /* FDT_BEGIN_NODE */
            size_t size = 1;
            node = (const char *)at;
            while (at[size - 1])
                size++;
            at += (size + 3) / 4 * 4;
        } else if (token == 3) { /* FDT_PROP */
            u32 size = be32(at);
            property(node, strings + be32(at + 4), at + 8, size);
            at += 8 + (size + 3) / 4 * 4;
        } else if (token == 9) { /* FDT_END */
            return;
        }
    }
}

/* Returns the text after `word=`. */
static const char *find(const char *word)
{
    for (const char *at = board.bootargs; at && *at; at++) {
        size_t n = 0;
        while (word[n] && at[n] == word[n])
            n++;
        if (!word[n] && at[n] == '=' && (at == board.bootargs || at[-1] == ' '))
            return at + n + 1;
    }
    return NULL;
}

ulong argument(const char *word, ulong otherwise)
{
    const char *at = find(word);
    ulong value = 0;
    if (!at)
        return otherwise;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (ulong)(*at - '0');
    return value;
}

bool is_argument(const char *word, const char *value)
{
    const char *at = find(word);
    if (!at)
        return false;
    while (*value && *at == *value)
        at++, value++;
    return !*value && (!*at || *at == ' ');
}
