/* SPDX-License-Identifier: MIT */
/*
 * views.h - for memory.c and views.c: what a process shares of its memory by handles, and what it shows of others'.
 *
 * A range is shown in a process at one of VIEWS places of a MiB each, of which no other call changes pages. A view
 * belongs to the handle by which it was mapped, and its place is free when that is closed. The tables of the places are
 * made with the process, so only entries change.
 */
#ifndef AMALGAM_HANDLE_VIEWS_H
#define AMALGAM_HANDLE_VIEWS_H

#include <process/memory.h>

#include "table.h"

#define VIEWS    8u                        /* ranges that a process shows at once */
#define RANGES   8u                        /* that it shares */
#define VIEWS_AT (PROCESS_PARTS + 8 * MIB) /* devices have what lies below (device/device.h) */

_Static_assert(VIEWS_AT + VIEWS * MIB <= PROCESS_PARTS + 16 * MIB, "where no call but these changes pages");

#ifndef HANDLE_PAGES
#define HANDLE_PAGES 0 /* CONFIG_HANDLE_PAGES */
#endif

#define RANGE_CLOSED 0x80000000u

struct view {
    struct handle_object *object; /* NULL: the place is free */
    u32 generation, rights;
    u32 shown; /* pages from the first on that have entries */
    u8 handle; /* its index */
    bool closing;
};

struct range {
    struct handle_object object;
    u32 viewers; /* bit n: domain n may have views of it; atomic */
    u32 holds;   /* how often it is held, and RANGE_CLOSED; atomic. The frames are freed when only that is left */
    bool used;
#if HANDLE_PAGES
    /* What a range is derived of, and of which generation. NULL: of nothing, its frames are its process's. */
    struct handle_object *parent;
    u32 parent_generation;
    u32 life;     /* how often the record was made a range; never used twice for one parent */
    bool ended;   /* what it is derived of was withdrawn, and nobody shows it any more */
    bool derived; /* ranges may be derived of it; never taken back */
#endif
    struct process_pins pins;
};

/* Of one process. The lock guards all but pins, which do not change while the range is used. */
struct memory {
    struct spinlock lock;
    struct process *process;
    bool runs;      /* its threads' records stay while the lock holds this true */
    unsigned views; /* places that are not free */
    struct view view[VIEWS];
    struct range range[RANGES];
};

/* Of the domains that are processes which this kernel runs; else NULL. */
extern struct memory *memories[SYS_MAX_DOMAINS];
static inline struct memory *memory_of(unsigned domain) { return memories[domain]; }
static inline struct range *range_of(struct handle_object *o) { return container_of(o, struct range, object); }
static inline u64 view_address(const struct memory *m, const struct view *v)
{
    return VIEWS_AT + (u64)(v - m->view) * MIB;
}

/* memory.c. range_new(): returns a range that was nobody's, and that is the process's now; NULL: it has RANGES.
 * range_free(): the range is nobody's any more; `self` as for handle_memory_release(). */
extern const struct handle_ops range_ops;
struct range *range_new(struct memory *m);
void range_free(struct range *r, struct process_thread *self);
/* derived.c; with HANDLE_PAGES only. range_leave(): give the object another generation than `from`; returns false if it
 * has another one already. range_await_users(): wait for the users of a range that was withdrawn in this life.
 * ranges_withdraw(): views_withdraw(), also of what was derived of the range. */
bool range_leave(struct handle_object *o, u32 from);
void range_await_users(struct range *r, u32 life);
void ranges_withdraw(struct handle_object *o, struct process_thread *self);
/* handle_ops.withdrawn of a range. */
void views_withdraw(struct handle_object *o, struct process_thread *self);
/* The process's handle `index` of `o` is closed: unmap what it shows, and flush it. The caller is `self`. */
void view_close(struct memory *m, struct handle_object *o, unsigned index, struct process_thread *self);
/* All threads of the process have left its space: unmap all. */
void views_end(struct memory *m);

#endif
