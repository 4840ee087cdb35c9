/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages of 9P2000.L, the protocol by which Linux and others reach files elsewhere. Source: the 9P2000
 * manual (intro(5) of Plan 9) and diod's protocol.md for the messages of ".L".
 *
 * A message is size[4] type[1] tag[2] and what its type says; numbers are little-endian, a string is length[2] and its
 * bytes without an end. The other side is hostile and may change a message while it is read: each byte is read once,
 * into a variable, and reading past the end only sets `bad`.
 */
#ifndef AMALGAM_P9_WIRE_H
#define AMALGAM_P9_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define P9_VERSION "9P2000.L"
#define P9_HEADER  7u
#define P9_NO_TAG  0xffffu /* of Tversion */
#define P9_NO_FID  0xffffffffu
#define P9_WALK    16u  /* names in a Twalk */
#define P9_NAME    256u /* bytes of a name with its end */
/* What a message of data has besides: the header, fid, offset and count of a Twrite. */
#define P9_IO_HEADER (P9_HEADER + 16u)

/* Types; an answer's is the question's and 1. */
enum p9_type {
    P9_RLERROR = 7,
    P9_TSTATFS = 8,
    P9_TLOPEN = 12,
    P9_TLCREATE = 14,
    P9_TSYMLINK = 16,
    P9_TREADLINK = 22,
    P9_TGETATTR = 24,
    P9_TSETATTR = 26,
    P9_TREADDIR = 40,
    P9_TFSYNC = 50,
    P9_TLINK = 70,
    P9_TMKDIR = 72,
    P9_TRENAMEAT = 74,
    P9_TUNLINKAT = 76,
    P9_TVERSION = 100,
    P9_TAUTH = 102,
    P9_TATTACH = 104,
    P9_TFLUSH = 108,
    P9_TWALK = 110,
    P9_TREAD = 116,
    P9_TWRITE = 118,
    P9_TCLUNK = 120,
};

/* Of a qid. */
enum { P9_QID_FILE = 0, P9_QID_LINK = 0x02, P9_QID_FOLDER = 0x80 };
/* Of Tlopen and Tlcreate; those of Linux, octal there, too. */
enum {
    P9_ACCESS = 03,
    P9_WRONLY = 01,
    P9_RDWR = 02,
    P9_EXCL = 0200,
    P9_TRUNC = 01000,
    P9_APPEND = 02000,
    P9_DIRECTORY = 0200000,
};
/* Of Tsetattr: which of its fields are meant. */
enum {
    P9_SET_MODE = 0x1,
    P9_SET_UID = 0x2,
    P9_SET_GID = 0x4,
    P9_SET_SIZE = 0x8,
    P9_SET_ATIME = 0x10,
    P9_SET_MTIME = 0x20,
    P9_SET_CTIME = 0x40,
    P9_SET_ATIME_TO = 0x80, /* to what the message says; else to now */
    P9_SET_MTIME_TO = 0x100,
};
#define P9_GOT_BASIC     0x7ffull /* of Rgetattr: all but the time of birth, generation and data version */
#define P9_REMOVE_FOLDER 0x200u   /* of Tunlinkat */

/* What is left to read of a message, or of the room to write one. */
struct p9_cursor {
    uint8_t *at;
    size_t left;
    bool bad; /* more was wanted than there is */
};

/* Where sizes are constants little is left of these. */
#define P9_INLINE static inline __attribute__((always_inline))

/* Returns where the next n bytes are, or NULL. */
P9_INLINE uint8_t *p9_bytes(struct p9_cursor *c, size_t n)
{
    uint8_t *at = c->at;
    if (c->bad || n > c->left) {
        c->bad = true;
        return NULL;
    }
    c->at += n;
    c->left -= n;
    return at;
}

/* A number that lies anywhere, read or written once. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "as on the wire");
#define P9_AT(type, at) (((volatile struct { type value; } __attribute__((packed)) *)(at))->value)

P9_INLINE uint8_t p9_u8(struct p9_cursor *c)
{
    const uint8_t *at = p9_bytes(c, 1);
    return at ? P9_AT(uint8_t, at) : 0;
}

P9_INLINE uint16_t p9_u16(struct p9_cursor *c)
{
    const uint8_t *at = p9_bytes(c, 2);
    return at ? P9_AT(uint16_t, at) : 0;
}

P9_INLINE uint32_t p9_u32(struct p9_cursor *c)
{
    const uint8_t *at = p9_bytes(c, 4);
    return at ? P9_AT(uint32_t, at) : 0;
}

P9_INLINE uint64_t p9_u64(struct p9_cursor *c)
{
    const uint8_t *at = p9_bytes(c, 8);
    return at ? P9_AT(uint64_t, at) : 0;
}

/* Write a number of 1, 2, 4 or 8 bytes. */
P9_INLINE void p9_put(struct p9_cursor *c, unsigned bytes, uint64_t value)
{
    uint8_t *at = p9_bytes(c, bytes);
    if (!at)
        return;
    if (bytes == 8)
        P9_AT(uint64_t, at) = value;
    else if (bytes == 4)
        P9_AT(uint32_t, at) = (uint32_t)value;
    else if (bytes == 2)
        P9_AT(uint16_t, at) = (uint16_t)value;
    else
        P9_AT(uint8_t, at) = (uint8_t)value;
}

/* memcpy() by a name that the compiler does not know: where it is to save bytes it would go byte by byte
 * (files/content.c). */
void *p9_copy(void *to, const void *from, size_t n) __asm__("memcpy");

/* Copy a string and end it by a NUL. One that has a NUL in it, or no room, makes the message bad. */
static inline void p9_text(struct p9_cursor *c, char *to, size_t room)
{
    uint16_t n = p9_u16(c);
    const uint8_t *at = n < room ? p9_bytes(c, n) : NULL;
    if (at)
        p9_copy(to, at, n);
    to[at ? n : 0] = '\0';
    c->bad |= !at || strlen(to) != n;
}

static inline void p9_put_text(struct p9_cursor *c, const char *text, size_t n)
{
    p9_put(c, 2, n);
    uint8_t *at = p9_bytes(c, n);
    if (at)
        p9_copy(at, text, n);
}

/* The name that a path begins with. */
static inline void p9_put_name(struct p9_cursor *c, const char *path) { p9_put_text(c, path, strcspn(path, "/")); }

/* Put what a Twalk says: by a path, which begins without slashes, from one fid to another one; with `parent` to the
 * folder above its last name, which *last is; "": there is none. Returns how many names it asks for; -1: there is no
 * room, or there are too many. */
static inline int p9_put_walk(struct p9_cursor *c, uint32_t from, uint32_t to, const char *path, bool parent,
                              const char **last)
{
    int names = 0;
    p9_put(c, 4, from);
    p9_put(c, 4, to);
    struct p9_cursor count = *c;
    p9_put(c, 2, 0);
    for (*last = path; *path; names++) {
        size_t n = strcspn(path, "/");
        const char *next = path + n + strspn(path + n, "/");
        *last = path;
        if (parent && !*next)
            break;
        if (names == P9_WALK)
            return -1;
        p9_put_text(c, path, n);
        path = next;
    }
    if (c->bad)
        return -1;
    p9_put(&count, 2, (uint64_t)names);
    return names;
}

#endif
