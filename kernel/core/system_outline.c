/* SPDX-License-Identifier: MIT */
/*
 * system_outline.c - checks a system image: its outline, which is header, checksum, positions of arrays and payloads,
 * here; the entries by system_check.c.
 *
 * The host's compiler has checked all of this with better messages. Here nothing is trusted, so that a damaged or
 * foreign image is refused as a whole and later code may index without checks. Each check function returns the sentence
 * that says what is wrong, or NULL.
 */
#include <core/sched.h>
#include <core/system_table.h>
#include <errors.h>

#include "crc32.h"
#include "system_check.h"

#define MAX_PAYLOADS 256
#define MAX_CORES    64

static __init_text const char *check_frame_of_image(const struct sys_header *h, u64 size)
{
    if (size < sizeof(*h))
        return INIT_STRING("the image is shorter than its header");
    if (h->magic != SYS_MAGIC)
        return INIT_STRING("the magic number is not that of a system image");
    if (h->version != SYS_VERSION || h->header_size != sizeof(*h))
        return INIT_STRING("the image was made for another version of the kernel");
    if (h->image_size > size)
        return INIT_STRING("the image is shorter than it says");
    if (h->table_size < sizeof(*h) || h->table_size > h->image_size)
        return INIT_STRING("the table's size is not within the image");
    struct sys_header header = *h;
    header.crc32 = 0;
    u32 crc = crc32_update(~0u, (const u8 *)&header, sizeof(header));
    crc = ~crc32_update(crc, (const u8 *)(h + 1), h->table_size - sizeof(*h));
    return crc == h->crc32 ? NULL : INIT_STRING("the table's checksum is wrong");
}

static const struct sys_limit header_limits[] __init_const = {
    SYS_LIMIT(sys_header, n_domains, 1, SYS_MAX_DOMAINS, "there must be 1 to 16 domains"),
    SYS_LIMIT(sys_header, n_cores, 1, MAX_CORES, "there must be 1 to 64 cores"),
    SYS_LIMIT(sys_header, n_channels, 0, SYS_MAX_CHANNELS, "there are too many channels or payloads"),
    SYS_LIMIT(sys_header, n_payloads, 0, MAX_PAYLOADS, "there are too many channels or payloads"),
    SYS_NO_LIMIT,
};

/* Return the position and size of array i; SYS_ARRAYS: of the strings. */
static __init_text struct sys_payload area(const struct sys_header *h, unsigned i)
{
    return (struct sys_payload){ h->off[i], i == SYS_ARRAYS ? h->strings_size : h->n[i] * system_entry_size[i] };
}

static __init_text const char *check_areas(const struct sys_header *h)
{
    static const struct sys_payload header = { 0, sizeof(*h) };
    for (unsigned i = 0; i <= SYS_ARRAYS; i++) {
        struct sys_payload a = area(h, i);
        if (a.offset + a.size > h->table_size || (i < SYS_ARRAYS && a.offset % 8))
            return INIT_STRING("an array of the table lies outside it or is not aligned");
        bool overlap = system_overlap(&a, &header);
        for (unsigned j = 0; j < i; j++) {
            struct sys_payload b = area(h, j);
            overlap |= system_overlap(&a, &b);
        }
        if (overlap)
            return INIT_STRING("arrays of the table overlap");
    }
    return NULL;
}

static __init_text const char *check_contents(const struct sys_header *h)
{
    const char *why = system_check_limits(h, header_limits);
    if (why)
        return why;
    if (!SCHED_WINDOWS && h->n_frames)
        return "this kernel has no windows";
    if (h->n_frames > h->n_cores || h->n_windows > h->n_frames * SCHED_WINDOWS)
        return INIT_STRING("there are more frames than cores or more windows than a frame can have");
    why = check_areas(h);
    if (why)
        return why;
    if (h->strings_size && ((const char *)h)[h->off_strings + h->strings_size - 1])
        return INIT_STRING("the last string has no end");
    return system_check_rules(h);
}

__init_text int system_table_check(const void *image, u64 size, const char **why)
{
    const char *text =
        IS_ALIGNED((uintptr_t)image, 8) ? check_frame_of_image(image, size) : INIT_STRING("the image is not aligned");
    int err = text ? -EBADMSG : -EINVAL;
    if (!text)
        text = check_contents(image);
    if (why)
        *why = text;
    return text ? err : 0;
}
