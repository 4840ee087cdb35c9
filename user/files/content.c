/* SPDX-License-Identifier: MIT */
/*
 * content.c - what is in a file: blocks of 4 KiB in a tree of tables that is as high as the file is long. Where there
 * is no block the file is as it began, or zero. What lies behind a file's end in its last block is zero, so that a file
 * that grows needs nothing done.
 */
#include <stdlib.h>
#include <string.h>

#include "node.h"

/* memcpy() by a name that the compiler does not know: where it is to save bytes it writes a loop in its place, which on
 * x86 goes byte by byte. */
void *copy(void *to, const void *from, size_t n) __asm__("memcpy");

#define TABLE (FAN * sizeof(void *))

_Static_assert(SIZE_MOST / BLOCK >> 9 * FAN_BITS == 0 && 9 * FAN_BITS < 64, "no tree is higher than 9 tables");

/* How many blocks a tree of that height has. */
static uint64_t reach(unsigned height) { return 1ull << height * FAN_BITS; }

static void *look_up(const struct content *c, uint64_t n)
{
    void *at = c->root;
    if (n >= reach(c->height))
        return NULL;
    for (unsigned h = c->height; h && at; h--)
        at = ((void **)at)[n >> (h - 1) * FAN_BITS & (FAN - 1)];
    return at;
}

/* Returns the pointer to block n, with all tables above it; NULL: no memory. */
static void **place(struct fs_node *node, uint64_t n)
{
    struct content *c = &node->content;
    for (; n >= reach(c->height); c->height++) {
        void **table = c->root ? account_alloc_clear(node->payer, TABLE) : NULL;
        if (c->root && !table)
            return NULL;
        if (table)
            table[0] = c->root;
        c->root = table;
    }
    void **at = &c->root;
    for (unsigned h = c->height; h; h--) {
        if (!*at && !(*at = account_alloc_clear(node->payer, TABLE)))
            return NULL;
        at = (void **)*at + (n >> (h - 1) * FAN_BITS & (FAN - 1));
    }
    return at;
}

/* Returns how many bytes of block n the file began with. */
static size_t in_image(const struct content *c, uint64_t n)
{
    uint64_t from = n * BLOCK;
    return from >= c->image_size ? 0 : c->image_size - from < BLOCK ? (size_t)(c->image_size - from) : BLOCK;
}

/* Returns block n, to be written; NULL: no memory. `all`: the caller overwrites the whole of it. */
static uint8_t *own(struct fs_node *node, uint64_t n, bool all)
{
    struct content *c = &node->content;
    void **at = place(node, n);
    if (!at || *at)
        return at ? *at : NULL;
    uint8_t *block = account_alloc(node->payer, BLOCK);
    if (!block)
        return NULL;
    size_t old = all ? BLOCK : in_image(c, n);
    if (!all && old)
        copy(block, c->image + n * BLOCK, old);
    memset(block + old, 0, BLOCK - old);
    c->blocks++;
    *at = block;
    return block;
}

static size_t smaller(uint64_t a, uint64_t b) { return (size_t)(a < b ? a : b); }

int64_t fs_read(struct fs *fs, struct fs_node *node, uint64_t at, void *to, size_t n)
{
    if (!S_ISREG(node->mode))
        return S_ISDIR(node->mode) ? -EISDIR : -EINVAL;
    const struct content *c = &node->content;
    n = at >= node->size ? 0 : smaller(n, node->size - at);
    for (size_t done = 0, piece; done < n; done += piece, at += piece) {
        size_t in = at % BLOCK;
        piece = smaller(n - done, BLOCK - in);
        const uint8_t *block = look_up(c, at / BLOCK);
        size_t old = in_image(c, at / BLOCK);
        uint8_t *out = (uint8_t *)to + done;
        if (!block) {
            old = old > in ? smaller(old - in, piece) : 0;
            if (old)
                copy(out, c->image + at, old);
            memset(out + old, 0, piece - old);
        } else {
            copy(out, block + in, piece);
        }
    }
    if (n)
        node_was_read(fs, node);
    return (int64_t)n;
}

int64_t fs_write(struct fs *fs, struct fs_node *node, uint64_t at, const void *from, size_t n)
{
    size_t done = 0;
    if (!S_ISREG(node->mode))
        return S_ISDIR(node->mode) ? -EISDIR : -EINVAL;
    if (n && at >= SIZE_MOST)
        return -EFBIG;
    n = smaller(n, SIZE_MOST - at);
    for (size_t piece; done < n; done += piece, at += piece) {
        size_t in = at % BLOCK;
        piece = smaller(n - done, BLOCK - in);
        uint8_t *block = own(node, at / BLOCK, piece == BLOCK);
        if (!block)
            break;
        copy(block + in, (const uint8_t *)from + done, piece);
    }
    if (n && !done)
        return -ENOSPC;
    if (at > node->size && n)
        node->size = at;
    if (n)
        node_touch(fs, node, true);
    return (int64_t)done;
}

/* Free all blocks from `first` on below a table of that height, whose own first block is `begin`. Returns whether
 * nothing is left of it. */
static bool cut(struct fs_node *node, void **at, unsigned height, uint64_t begin, uint64_t first)
{
    bool empty = begin >= first;
    if (!*at)
        return true;
    if (height) {
        void **table = *at;
        uint64_t step = reach(height - 1);
        empty = true;
        for (size_t i = 0; i < FAN; i++)
            if (begin + (i + 1) * step > first)
                empty &= cut(node, &table[i], height - 1, begin + i * step, first);
            else
                empty &= !table[i];
    } else if (empty) {
        node->content.blocks--;
    }
    if (empty) {
        account_free(node->payer, *at, height ? TABLE : BLOCK);
        *at = NULL;
    }
    return empty;
}

void content_free(struct fs_node *node) { cut(node, &node->content.root, node->content.height, 0, 0); }

int fs_truncate(struct fs *fs, struct fs_node *node, uint64_t size)
{
    struct content *c = &node->content;
    if (!S_ISREG(node->mode))
        return S_ISDIR(node->mode) ? -EISDIR : -EINVAL;
    if (size > SIZE_MOST)
        return -EFBIG;
    if (size < node->size) {
        uint8_t *last = look_up(c, size / BLOCK);
        if (last && size % BLOCK)
            memset(last + size % BLOCK, 0, BLOCK - size % BLOCK);
        cut(node, &c->root, c->height, 0, (size + BLOCK - 1) / BLOCK);
        c->image_size = smaller(c->image_size, size);
    }
    node->size = size;
    node_touch(fs, node, true);
    return 0;
}
