/* SPDX-License-Identifier: MIT */
/*
 * handle.h - handles: what a process names objects of other components by (option HANDLE).
 *
 * An object is a channel's end, a range of memory, a device ... Its component embeds a struct handle_object in its
 * record. A process has a table of HANDLES handles. A handle says which object, in which generation, and which rights
 * its process has. It comes from the component (handle_give), at the begin of a run, or from another process through a
 * channel (channel.c). It is then a copy; its rights are the sender's or fewer.
 *
 * A withdrawal gives the object another generation, so all handles to it, in tables and on their way through channels,
 * are void at once and none has to be found. Who uses an object is counted in it between handle_take() and
 * handle_put(), with interrupts off. handle_withdraw() waits for those, so after it no core uses the object by an old
 * handle (tests/model/handle.pml). A call that sleeps, or that takes long, puts the object before, and takes it anew
 * after; what it leaves at the object meanwhile (a waiter, a page that is shown) is ended by the object's own
 * handle_ops.withdrawn.
 *
 * Objects stay where they are for good: an old handle may name them for ever. A generation is never used twice, so an
 * object that has had all of them is given to nobody any more.
 *
 * Locks: `handles` of docs/locks.md guards a process's table.
 */
#ifndef AMALGAM_HANDLE_HANDLE_H
#define AMALGAM_HANDLE_HANDLE_H

#include <process/process.h>

#define HANDLES 32 /* of a process, at most */

/* The numbers are those of handle_info's answer (kernel/api/handle.yaml). */
enum handle_kind {
    HANDLE_CHANNEL = 1,
    HANDLE_MEMORY,
    HANDLE_DEVICE,
    HANDLE_INTERRUPT,
    HANDLE_BLOCK,
    HANDLE_NET,
    HANDLE_SPAWN,
    HANDLE_PIPE,
    HANDLE_STATUS,
};

/* Rights. The first two are the object's to explain. */
#define HANDLE_READ   1u
#define HANDLE_WRITE  2u
#define HANDLE_SEND   4u /* may be sent to another process */
#define HANDLE_OWN    8u /* to close it is to withdraw the object; it never leaves the process */
#define HANDLE_RIGHTS 15u

#define HANDLE_SPENT (~0u) /* the generation after all others */

struct handle_object;

/* What an object's component does. Each may be NULL. Thread context, interrupts on, no lock held. */
struct handle_ops {
    /* End the waits at the object, and unmap what is shown of it, for all handles of the generations before. Nobody
     * takes it by these any more. `self` as for handle_withdraw(). */
    void (*withdrawn)(struct handle_object *o, struct process_thread *self);
    /* The thread's process has closed its handle `index`, which had `rights`. Not called for those that are closed by
     * the process's end. */
    void (*closed)(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights);
};

struct handle_object {
    u8 kind;                      /* enum handle_kind */
    u32 size;                     /* bytes that a process may reach of it; 0: none */
    u32 generation;               /* from 0 on; each withdrawal changes it, none twice to the same */
    u32 users;                    /* cores between handle_take() and handle_put() */
    const struct handle_ops *ops; /* NULL: the component has nothing to do */
};

/*
 * Give the process a handle with `rights` (HANDLE_READ ...). Returns its index, the lowest free one behind those of the
 * process's channels; -ENOSPC: it has HANDLES; -ENODEV: the object's generations are spent. Thread context, between
 * PROCESS_BEGINS and PROCESS_ENDS of a run (process/part.h), both included. All its handles are closed when it ends.
 */
int handle_give(struct process *p, struct handle_object *o, u32 rights);
/*
 * Take the object that the process's handle `index` names. Returns 0, and the object in *taken, in use until
 * handle_put(); -EBADF: there is no such handle; -EINVAL: its object is of another kind; -ESTALE: it was withdrawn;
 * -EACCES: one of `rights` is missing. Interrupts must be off, and stay off until handle_put(), which comes within some
 * hundred instructions: who withdraws the object waits for it.
 */
int handle_take(struct process *p, unsigned index, enum handle_kind kind, u32 rights, struct handle_object **taken);
static inline void handle_put(struct handle_object *o) { __atomic_fetch_sub(&o->users, 1, __ATOMIC_RELEASE); }
/*
 * Withdraw the object from all who have handles to it. When it returns no core uses it by one of these, no wait at it
 * goes on and no page shows it. It may be given anew then, and not before. `self`: the caller, a process's thread; NULL
 * if it is none, or one whose process has ended (PROCESS_ENDS). Thread context, interrupts on, no lock held. It waits
 * for other cores only, and for none longer than that has interrupts off.
 */
void handle_withdraw(struct handle_object *o, struct process_thread *self);

#endif
