/* SPDX-License-Identifier: MIT */
/*
 * spawn.h - programs that processes start (option SPAWN).
 *
 * A slot is a process's record that has no program of its own: the system file says how many of them a process has
 * (`spawn`), and all that they ever need is made at boot. Their owner starts a program in a free one, asks for its end,
 * and has the slot again when it was told. When the owner ends, what it has started ends, and nobody is told.
 *
 * A slot is the domain's of the same number. Its state changes under one lock; who has made it SLOT_BUSY may do with
 * the domain what it wants: nobody else starts it, as process_image.by says, and nobody else cleans it. The control
 * console may stop it at any time. So its threads' records change while it is SLOT_BUSY only
 * (tests/model/spawn.pml).
 */
#ifndef AMALGAM_SPAWN_SPAWN_H
#define AMALGAM_SPAWN_SPAWN_H

#include <errors.h>
#include <handle/table.h>

#define SPAWN_HANDLES 8         /* that a program is given, at most */
#define SPAWN_HEAD    (4 * KIB) /* bytes of a file in which its headers lie */

enum slot_state {
    SLOT_FREE, /* its domain has stopped, and its memory is zero */
    SLOT_BUSY, /* a call is at it */
    SLOT_RUNS, /* started, and its owner has not been told the end */
    SLOT_LEFT, /* started, and its owner has ended */
};

struct slot {
    struct process *process; /* NULL: the domain is none */
    u8 owner;                /* domain */
    u8 state;                /* enum slot_state; under the lock */
    u32 child;               /* the number of what runs or ran; under the lock. 0: nothing */
    u32 why;                 /* that spawn_kill() gave */
    bool killed;
    struct process_image image;
    char *text; /* PROCESS_STRINGS bytes: image.strings */
    char *head; /* SPAWN_HEAD bytes: a copy of the file's first ones */
    unsigned n_given;
    struct handle given[SPAWN_HANDLES]; /* checked */
};

/* What spawn_start() is given, as it lies in the program's memory (user/include/amalgam/spawn.h). */
struct spawn_request {
    u32 image, offset, size; /* handle of memory; where the file begins in it, and its bytes */
    u32 argc, envc, length;  /* texts, and bytes of all */
    u64 texts;               /* address */
    u32 n_handles;
    u8 handle[SPAWN_HANDLES], rights[SPAWN_HANDLES];
    u32 reserved;
};
_Static_assert(sizeof(struct spawn_request) == 56, "layout");

/* Claim a slot of the domain for a start: it is SLOT_BUSY then, and clean. Returns NULL: none is free. Thread context.
 */
struct slot *slot_claim(unsigned owner);
/* Find what the domain has started by its number, and make it SLOT_BUSY if it has stopped. Returns 0, -EAGAIN: it runs;
 * -ENOENT. */
int slot_end(unsigned owner, u32 child, struct slot **found);
/* End what the domain has started. Returns 0 or -ENOENT. Thread context. */
int slot_kill(unsigned owner, u32 child, u32 why);
/* Free the slot, which is SLOT_BUSY: its memory is zero when this returns. Thread context. */
void slot_free(struct slot *s);
/* It has been started: it has a number from now on. Returns that. */
u32 slot_runs(struct slot *s);

#endif
