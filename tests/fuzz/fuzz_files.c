/* SPDX-License-Identifier: MIT */
/*
 * cpio_next(): first byte even, patches to a valid archive; odd, the archive itself. Names and contents of what it
 * finds lie in the archive, entries follow each other and come to an end.
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

static size_t archive(char image[SIZE])
{
    size_t n = add(image, "./etc", "");
    n += add(image + n, "etc/motd", "hello");
    return n + add(image + n, "TRAILER!!!", "");
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
            image[(data[i] | (size_t)data[i + 1] << 8) % n] = (char)data[i + 2];
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, image, n);
    look(exact, n);
    free(exact);
    return 0;
}
