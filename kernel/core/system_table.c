/* SPDX-License-Identifier: MIT */
/*
 * system_table.c - the accessors of a system image, and the check of its outline:
 * header, checksum, where the arrays and payloads lie (system_check.c has the rest).
 *
 * The host compiler has checked all of this with better messages; here nothing is
 * believed, so that a damaged or foreign image is refused as a whole and code
 * after this point may index without looking.  Each check function returns the
 * sentence that says what is wrong, or NULL.
 */
#include <core/sched.h>
#include <core/system_table.h>
#include <errors.h>

#include "crc32.h"
#include "system_check.h"

#define MAX_PAYLOADS 256
#define MAX_CORES    64
#define MAX_CHANNELS 16

const struct sys_header *system_table;

static const void *at(const struct sys_header *h, u32 off, unsigned i, size_t size)
{
    return (const u8 *)h + off + i * size;
}
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i)
{
    return at(h, h->off_domains, i, sizeof(struct sys_domain));
}
const struct sys_frame *sys_frame(const struct sys_header *h, unsigned i)
{
    return at(h, h->off_frames, i, sizeof(struct sys_frame));
}
const struct sys_window *sys_window(const struct sys_header *h, unsigned i)
{
    return at(h, h->off_windows, i, sizeof(struct sys_window));
}
const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i)
{
    return at(h, h->off_channels, i, sizeof(struct sys_channel));
}
static const struct sys_payload *payload(const struct sys_header *h, unsigned i)
{
    return at(h, h->off_payloads, i, sizeof(struct sys_payload));
}
const void *sys_payload(const struct sys_header *h, unsigned i, u64 *size)
{
    if (i >= h->n_payloads)
        return NULL;
    *size = payload(h, i)->size;
    return (const u8 *)h + payload(h, i)->offset;
}
const char *sys_string(const struct sys_header *h, u32 off)
{
    return off == SYS_NONE ? "" : (const char *)h + h->off_strings + off;
}

static __init_text const char *check_frame_of_image(const struct sys_header *h, u64 size)
{
    if (size < sizeof(*h))
        return "the image is shorter than its header";
    if (h->magic != SYS_MAGIC)
        return "the magic number is not that of a system image";
    if (h->version != SYS_VERSION || h->header_size != sizeof(*h))
        return "the image was made for another version of the kernel";
    if (h->image_size > size)
        return "the image is shorter than it says";
    if (h->table_size < sizeof(*h) || h->table_size > h->image_size)
        return "the table's size is not within the image";
    static const u8 zero[4];
    const u8 *p = (const u8 *)h;
    const size_t field = offsetof(struct sys_header, crc32), after = field + sizeof(u32);
    u32 crc = crc32_update(~0u, p, field);
    crc = crc32_update(crc, zero, sizeof(zero));
    crc = ~crc32_update(crc, p + after, h->table_size - after);
    return crc == h->crc32 ? NULL : "the table's checksum is wrong";
}

struct area {
    u64 start, end;
};

static __init_text bool disjoint(const struct area *a, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < i; j++)
            if (a[i].start < a[j].end && a[j].start < a[i].end)
                return false;
    return true;
}

static __init_text const char *check_areas(const struct sys_header *h)
{
    if (h->n_domains < 1 || h->n_domains > SYS_MAX_DOMAINS)
        return "there must be 1 to 16 domains";
    if (h->n_cores < 1 || h->n_cores > MAX_CORES)
        return "there must be 1 to 64 cores";
    if (h->n_frames > h->n_cores || h->n_windows > h->n_frames * SCHED_WINDOWS)
        return "there are more frames than cores or more windows than a frame can have";
    if (h->n_channels > MAX_CHANNELS || h->n_payloads > MAX_PAYLOADS)
        return "there are too many channels or payloads";
    const struct area a[] = {
        { 0, sizeof(*h) },
        { h->off_domains, h->off_domains + (u64)h->n_domains * sizeof(struct sys_domain) },
        { h->off_frames, h->off_frames + (u64)h->n_frames * sizeof(struct sys_frame) },
        { h->off_windows, h->off_windows + (u64)h->n_windows * sizeof(struct sys_window) },
        { h->off_channels, h->off_channels + (u64)h->n_channels * sizeof(struct sys_channel) },
        { h->off_payloads, h->off_payloads + (u64)h->n_payloads * sizeof(struct sys_payload) },
        { h->off_strings, h->off_strings + (u64)h->strings_size },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(a); i++)
        if (a[i].end > h->table_size || (i + 1 < ARRAY_SIZE(a) && a[i].start % 8))
            return "an array of the table lies outside it or is not aligned";
    if (!disjoint(a, ARRAY_SIZE(a)))
        return "arrays of the table overlap";
    if (h->strings_size && ((const char *)h)[h->off_strings + h->strings_size - 1])
        return "the last string has no end";
    return NULL;
}

static __init_text const char *check_payloads(const struct sys_header *h)
{
    for (unsigned i = 0; i < h->n_payloads; i++) {
        const struct sys_payload *p = payload(h, i);
        if (!IS_ALIGNED(p->offset, PAGE_SIZE) || p->offset < h->table_size)
            return "a payload is not page aligned or overlaps the table";
        if (!p->size || p->offset > h->image_size || p->size > h->image_size - p->offset)
            return "a payload is empty or lies outside the image";
        for (unsigned j = 0; j < i; j++) {
            const struct sys_payload *q = payload(h, j);
            if (p->offset < q->offset + q->size && q->offset < p->offset + p->size)
                return "two payloads overlap";
        }
    }
    return NULL;
}

static __init_text const char *check_contents(const struct sys_header *h)
{
    const char *why = check_areas(h);
    if (!why)
        why = check_payloads(h);
    return why ? why : system_check_rules(h);
}

__init_text int system_table_check(const void *image, u64 size, const char **why)
{
    const char *text = IS_ALIGNED((uintptr_t)image, 8) ? check_frame_of_image(image, size) : "the image is not aligned";
    int err = -EBADMSG;
    if (!text) {
        text = check_contents(image);
        err = -EINVAL;
    }
    if (why)
        *why = text;
    return text ? err : 0;
}
