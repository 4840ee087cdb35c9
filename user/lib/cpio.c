/* SPDX-License-Identifier: MIT */
/* cpio.c - see cpio.h. It needs nothing of a process, so tests/fuzz compiles it, too. */
#include "cpio.h"

#include <string.h>

#define HEADER 110
#define FIELDS 13
#define DIGITS 8
#define LAST   "TRAILER!!!"

enum { INODE, MODE, UID, GID, LINKS, MTIME, SIZE, MAJOR, MINOR, SPECIAL_MAJOR, SPECIAL_MINOR, NAME_SIZE, CHECK };

static bool read_digit(uint8_t c, uint32_t *value)
{
    uint32_t digit = c >= '0' && c <= '9'   ? c - (uint32_t)'0'
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10u
                     : c >= 'A' && c <= 'F' ? c - 'A' + 10u
                                            : 16;
    *value = *value << 4 | (digit & 15);
    return digit < 16;
}

static bool read_header(const uint8_t *at, uint32_t field[FIELDS])
{
    if (memcmp(at, "070701", 6) && memcmp(at, "070702", 6))
        return false;
    at += 6;
    for (unsigned i = 0; i < FIELDS; i++) {
        field[i] = 0;
        for (unsigned digit = 0; digit < DIGITS; digit++)
            if (!read_digit(*at++, &field[i]))
                return false;
    }
    return true;
}

/* Returns where the part after the one that ends at `at` begins: on a multiple of 4 bytes, or at the archive's end,
 * `size`. */
static size_t part_end(size_t at, size_t size)
{
    size_t aligned = (at + 3) & ~(size_t)3;
    return aligned < size ? aligned : size;
}

static void trim(struct cpio_entry *e)
{
    while (e->name_length && (*e->name == '/' || (*e->name == '.' && (e->name_length == 1 || e->name[1] == '/'))))
        e->name++, e->name_length--;
    while (e->name_length && e->name[e->name_length - 1] == '/')
        e->name_length--;
}

bool cpio_next(const struct cpio *archive, size_t *at, struct cpio_entry *entry)
{
    uint32_t field[FIELDS];
    size_t start = *at;
    if (start > archive->size || archive->size - start < HEADER || !read_header(archive->data + start, field))
        return false;
    size_t name = start + HEADER;
    if (!field[NAME_SIZE] || field[NAME_SIZE] > archive->size - name ||
        memchr(archive->data + name, 0, field[NAME_SIZE]) != archive->data + name + field[NAME_SIZE] - 1)
        return false;
    size_t data = part_end(name + field[NAME_SIZE], archive->size);
    if (field[SIZE] > archive->size - data)
        return false;
    *entry = (struct cpio_entry){
        .name = (const char *)archive->data + name,
        .name_length = field[NAME_SIZE] - 1,
        .data = archive->data + data,
        .size = field[SIZE],
        .inode = field[INODE],
        .mode = field[MODE],
        .links = field[LINKS],
        .mtime = field[MTIME],
        .major = field[SPECIAL_MAJOR],
        .minor = field[SPECIAL_MINOR],
    };
    if (!strcmp(entry->name, LAST))
        return false;
    trim(entry);
    *at = part_end(data + field[SIZE], archive->size);
    return true;
}

bool cpio_find(const struct cpio *archive, const char *name, size_t length, struct cpio_entry *entry)
{
    for (size_t at = 0; cpio_next(archive, &at, entry);)
        if (entry->name_length == length && !memcmp(entry->name, name, length))
            return true;
    return false;
}
