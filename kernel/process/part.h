/* SPDX-License-Identifier: MIT */
/*
 * part.h - what a part brings to processes: a component that gives them calls of its own, or pages that no call maps.
 *
 * A part has functions for the moments of a process's life that concern it. The linker gathers all parts, as it does
 * with INIT_CALL (core/init.h); at each moment all are called, in no order that one may rely on. A part that is not
 * linked has none. No moment is on a counted path.
 */
#ifndef AMALGAM_PROCESS_PART_H
#define AMALGAM_PROCESS_PART_H

#include "process.h"

/* PROCESS_CREATES: another kernel of the board runs the process. Nothing is allocated for it here, and the part has set
 * domain.ops to its own. */
#define PROCESS_ELSEWHERE 1

enum process_moment {
    PROCESS_CREATES, /* nothing is allocated yet. 0 or PROCESS_ELSEWHERE. Boot */
    /* its space is empty: map from PROCESS_PARTS on what it reaches of the part, or allocate the tables for that. 0 or
       -ENOMEM. Boot */
    PROCESS_MAPS,
    PROCESS_BEGINS, /* its first thread is about to run. 0. Thread context */
    PROCESS_ENDS,   /* the last of its threads has left the space for good. 0. Called on that thread */
    PROCESS_MOMENTS
};

struct process_part {
    /* Check what the part reads of a process's record. Returns NULL, or a sentence that says what is wrong. Boot. NULL:
     * it reads nothing. */
    const char *(*check)(const struct sys_header *h, const struct sys_domain *d);
    int (*at[PROCESS_MOMENTS])(struct process *p); /* NULL: the moment does not concern it */
};

extern const struct process_part __process_parts_start[], __process_parts_end[];

/* Aligned as an element of an array: the compiler would align a single struct more and leave gaps in the list. */
#define PROCESS_PART(id, ...)                                                                                          \
    static const struct process_part part_##id                                                                         \
        __attribute__((used, section(".process_parts"), aligned(sizeof(void *)))) = { __VA_ARGS__ }

/* Ask all parts (part.c): returns the first refusal, or NULL. */
const char *process_parts_check(const struct sys_header *h, const struct sys_domain *d);
/* Call each part's function for the moment until one does not return 0. Returns what the last one did. */
int process_parts(struct process *p, enum process_moment m);

#endif
