/* SPDX-License-Identifier: MIT */
/* system_table.c - the system in force, and the accessors of a system image that has been checked. */
#include <core/system_table.h>

#include "system_check.h"

const struct sys_header *system_table;

const u8 system_entry_size[SYS_ARRAYS] = { sizeof(struct sys_domain), sizeof(struct sys_frame),
                                           sizeof(struct sys_window), sizeof(struct sys_channel),
                                           sizeof(struct sys_payload) };

const void *sys_entry(const struct sys_header *h, enum sys_array array, unsigned i)
{
    return (const u8 *)h + h->off[array] + i * system_entry_size[array];
}

const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i) { return sys_entry(h, SYS_DOMAINS, i); }
const struct sys_frame *sys_frame(const struct sys_header *h, unsigned i) { return sys_entry(h, SYS_FRAMES, i); }
const struct sys_window *sys_window(const struct sys_header *h, unsigned i) { return sys_entry(h, SYS_WINDOWS, i); }
const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i) { return sys_entry(h, SYS_CHANNELS, i); }

const void *sys_payload(const struct sys_header *h, unsigned i, u64 *size)
{
    if (i >= h->n_payloads)
        return NULL;
    const struct sys_payload *p = sys_entry(h, SYS_PAYLOADS, i);
    *size = p->size;
    return (const u8 *)h + p->offset;
}

const char *sys_string(const struct sys_header *h, u32 off)
{
    return off == SYS_NONE ? "" : (const char *)h + h->off_strings + off;
}
