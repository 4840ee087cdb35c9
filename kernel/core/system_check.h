/* SPDX-License-Identifier: MIT */
/* system_check.h - what the files that check a system image share; private to core/. */
#ifndef AMALGAM_CORE_SYSTEM_CHECK_H
#define AMALGAM_CORE_SYSTEM_CHECK_H

#include <core/system_table.h>

/* The bytes of an entry of each array. */
extern const u8 system_entry_size[SYS_ARRAYS];

/* The permitted range of a field of an entry; SYS_NO_LIMIT ends a list of these. */
struct sys_limit {
    const char *why; /* the sentence if the field is out of range */
    u32 mask;        /* selects the field from the four bytes at `at`; the entry must have these four bytes */
    u32 min, span;   /* from min to min + span */
    u8 at;
};
#define SYS_LIMIT(entry, field, from, to, sentence)                                                                    \
    {                                                                                                                  \
        .why = sentence, .mask = ~0u >> (32 - 8 * sizeof(((struct entry *)0)->field)), .min = from,                    \
        .span = (to) - (from), .at = offsetof(struct entry, field)                                                     \
    }
#define SYS_NO_LIMIT                                                                                                   \
    {                                                                                                                  \
        .why = NULL                                                                                                    \
    }

/* Check an entry against its limits. Returns NULL, or the sentence of the first limit that it breaks. */
const char *system_check_limits(const void *entry, const struct sys_limit *limit);

/* Returns whether two pieces of an image overlap, or an empty one is within the other. */
bool system_overlap(const struct sys_payload *a, const struct sys_payload *b);

/* Check the contents of the entries of an image whose arrays are in place. Returns NULL, or the sentence that says
 * what is wrong. Pure. */
const char *system_check_rules(const struct sys_header *h);

#endif
