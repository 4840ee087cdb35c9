/* SPDX-License-Identifier: MIT */
/* table.h - for the files of handle/: the table of a process's handles. */
#ifndef AMALGAM_HANDLE_TABLE_H
#define AMALGAM_HANDLE_TABLE_H

#include "handle.h"

struct handle {
    struct handle_object *object; /* NULL: there is none of that index */
    u32 generation;               /* the object's when it was given */
    u32 rights;
};

struct handles {
    struct spinlock lock;
    struct handle handle[HANDLES];
};

extern struct handles *handles[SYS_MAX_DOMAINS]; /* of the processes that this kernel runs; else NULL */
static inline struct handles *handles_of(const struct process *p) { return handles[p->domain->id]; }
/* Returns a copy of the process's handle `index`, which is below HANDLES; its object is NULL if there is none. Any
 * context. */
struct handle handle_at(const struct process *p, unsigned index);
/* Put a handle into the process's table; under its lock. Returns its index or -ENOSPC. */
int handle_add(struct process *p, const struct handle *h);
/* Take the object in the generation that a handle or another record of the caller has. Returns 0, then it is in use
 * until handle_put(), or -ESTALE. As handle_take(). The first look is there so that a stale handle, however often used,
 * delays nobody who withdraws. */
static inline int handle_enter(struct handle_object *o, u32 generation)
{
    if (unlikely(READ_ONCE(o->generation) != generation))
        return -ESTALE;
    __atomic_fetch_add(&o->users, 1, __ATOMIC_SEQ_CST);
    if (likely(__atomic_load_n(&o->generation, __ATOMIC_SEQ_CST) == generation))
        return 0;
    handle_put(o);
    return -ESTALE;
}

#endif
