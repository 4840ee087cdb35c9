/* SPDX-License-Identifier: MIT */
/*
 * args.c - the name=value words of the command line. r6 points at it (U-Boot, QEMU), or r3 points at a device tree with
 * a property named bootargs (our hypervisor).
 */
#include <guest.h>

const char *command_line; /* start.S: r6 */
const u32 *device_tree;   /* start.S: r3, whatever it is */

#define FDT_MAGIC 0xd00dfeed
enum { FDT_BEGIN_NODE = 1, FDT_END_NODE, FDT_PROP, FDT_NOP };

static u32 padded(u32 bytes) { return (bytes + 3) / 4; }

/* Returns the tree's first property of that name, as a string. The tree is not checked, because the loader is trusted.
 */
static const char *tree_text(const u32 *tree, const char *name)
{
    const u32 *at = tree + tree[2] / 4;
    const char *strings = (const char *)tree + tree[3];
    for (;;) {
        switch (*at++) {
        case FDT_BEGIN_NODE: {
            u32 length = 0;
            while (((const char *)at)[length])
                length++;
            at += padded(length + 1);
            break;
        }
        case FDT_PROP:
            if (text_equal(strings + at[1], name))
                return (const char *)(at + 2);
            at += 2 + padded(at[0]);
            break;
        case FDT_END_NODE:
        case FDT_NOP: break;
        default: return NULL;
        }
    }
}

bool text_equal(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

/* Returns the value after `name=`, or NULL. */
static const char *find(const char *name)
{
    if (device_tree && *device_tree == FDT_MAGIC) {
        command_line = tree_text(device_tree, "bootargs");
        device_tree = NULL;
    }
    for (const char *s = command_line; s && *s;) {
        const char *n = name;
        while (*n && *s == *n)
            s++, n++;
        if (!*n && *s == '=')
            return s + 1;
        while (*s && *s != ' ')
            s++;
        while (*s == ' ')
            s++;
    }
    return NULL;
}

u32 arg_number(const char *name, u32 otherwise)
{
    const char *s = find(name);
    if (!s)
        return otherwise;
    u32 value = 0, base = s[0] == '0' && s[1] == 'x' ? 16 : 10;
    for (s += base == 16 ? 2 : 0; *s && *s != ' '; s++) {
        u32 digit = *s >= '0' && *s <= '9' ? (u32)(*s - '0') : (u32)((*s | 0x20) - 'a' + 10);
        if (digit >= base)
            return otherwise;
        value = value * base + digit;
    }
    return value;
}
