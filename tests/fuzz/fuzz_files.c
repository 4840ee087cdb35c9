/* SPDX-License-Identifier: MIT */
/*
 * cpio_next(): first byte even, patches to a valid archive; odd, the archive itself. A patch changes a byte, or gives a
 * field of a header another number, or cuts the archive off: numbers are eight digits each, which single bytes seldom
 * make. Names and contents of what it finds lie in the archive, entries follow each other and come to an end.
 */
#include <cpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 1024

static size_t add(char *to, const char *name, const char *text)
{
    int n = sprintf(to, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", 1, 0100644, 0, 0, 1, 0,
                    (unsigned)strlen(text), 0, 0, 0, 0, (unsigned)strlen(name) + 1, 0);
    size_t at = ((size_t)n + strlen(name) + 1 + 3) & ~(size_t)3;
    strcpy(to + n, name);
    memcpy(to + at, text, strlen(text));
    return (at + strlen(text) + 3) & ~(size_t)3;
}

static size_t header[3]; /* where they begin */

static size_t archive(char image[SIZE])
{
    size_t n = add(image, "./etc", "");
    header[1] = n;
    n += add(image + n, "etc/motd", "hello");
    header[2] = n;
    return n + add(image + n, "TRAILER!!!", "");
}

/* A patch of three bytes; returns how long the archive is then. */
static size_t patch(char image[SIZE], size_t n, const uint8_t p[3])
{
    unsigned number = p[1] & 1 ? p[2] : (unsigned)n - p[2]; /* small, or about where the archive ends */
    char digits[9];
    if (p[0] < 128) {
        image[(p[0] | (size_t)p[1] << 8) % n] = (char)p[2];
    } else if (p[0] < 224) {
        sprintf(digits, "%08x", number);
        memcpy(image + header[p[0] % 3] + 6 + (size_t)8 * (p[1] / 2 % 13), digits, 8);
    } else if (p[2] < n) {
        n -= p[2];
    }
    return n;
}

static void look(const uint8_t *data, size_t size)
{
    const struct cpio a = { data, size };
    struct cpio_entry e;
    unsigned sum = 0;
    for (size_t at = 0, before = 0; cpio_next(&a, &at, &e); before = at) {
        if (at <= before || at > size || e.data < data || e.data > data + size ||
            e.size > (size_t)(data + size - e.data) || (const uint8_t *)e.name < data ||
            (const uint8_t *)e.name + e.name_length >= data + size)
            abort();
        char end = e.name[e.name_length]; /* programs take it for a string; a slash may have been cut off */
        if (memchr(e.name, 0, e.name_length) || (end && end != '/'))
            abort();
        for (size_t i = 0; i < e.size; i++)
            sum += e.data[i];
        for (size_t i = 0; i < e.name_length; i++)
            sum += (unsigned)e.name[i];
    }
    volatile unsigned sink = sum;
    (void)sink;
    (void)cpio_find(&a, "etc/motd", 8, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char image[SIZE];
    if (!size)
        return 0;
    memset(image, 0, sizeof image);
    size_t n = *data & 1 ? size - 1 : archive(image);
    if (n > SIZE)
        return 0;
    if (*data & 1)
        memcpy(image, data + 1, n);
    else
        for (size_t i = 1; i + 2 < size; i += 3)
            n = patch(image, n, data + i);
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, image, n);
    look(exact, n);
    free(exact);
    return 0;
}
