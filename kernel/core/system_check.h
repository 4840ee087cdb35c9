/* SPDX-License-Identifier: MIT */
/* system_check.h - the second half of system_table_check(); private to core/. */
#ifndef AMALGAM_CORE_SYSTEM_CHECK_H
#define AMALGAM_CORE_SYSTEM_CHECK_H

#include <core/system_table.h>

/* What a field of an entry may be; SYS_NO_LIMIT ends a list of these. */
struct sys_limit {
    const char *why; /* the sentence when it is something else */
    u32 mask;        /* which of four bytes at `at` are the field: so many the entry must have */
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

/* Hold an entry against its limits: NULL, or the sentence of the first one that it misses. */
const char *system_check_limits(const void *entry, const struct sys_limit *limit);

/* Two pieces of an image have bytes in common, or an empty one lies within the other. */
bool system_overlap(const struct sys_payload *a, const struct sys_payload *b);

/* Check what the entries of an image say whose arrays are in place: NULL, or the sentence that says what is wrong.
 * Pure. */
const char *system_check_rules(const struct sys_header *h);

#endif
