/* SPDX-License-Identifier: MIT */
/*
 * process.h - processes: domains of kind PROCESS, whose threads run outside the kernel
 * in an address space of their own.
 *
 * All that a process will ever have is taken when it is created: its memory, the first tables of its space, a kernel
 * thread for each thread that it may have.  A kernel thread without work sleeps until thread_create() gives it some.
 *
 *   USER_BASE  image | a page of nothing | stack of the first thread | a page of nothing | heap | a page of nothing |
 *              archive of its files, to read only | what map() places
 *              ... PROCESS_TUNNELS  a MiB for each channel of the system  USER_END
 *
 * In memory the image, the stack and the archive come first; the rest is frames that map() takes from and unmap() gives
 * back to (frames.c), zero whenever they are free. The heap is addresses only, which the program's library maps as it
 * grows.
 *
 * Locks: process.lock guards the threads' `state`, who waits for which word or bell, frames and tables; inner to none
 * but the run queues'.
 */
#ifndef AMALGAM_PROCESS_H
#define AMALGAM_PROCESS_H

#include <core/domain.h>
#include <core/lock.h>
#include <hal/memory.h>
#include <hal/user.h>
#include <list.h>

#include "program.h"

#define PROCESS_THREADS 64 /* at most */
#define PROCESS_STACK   (16 * KIB)
#define PROCESS_MEMORY  (1ull << 30) /* at most; it is mapped page by page */

/* Where the memory of channels is, at the same address in all processes. No call that changes pages reaches it, so a
 * process's tables show frames of its own below this address only. */
#define PROCESS_TUNNELS (USER_END - SYS_MAX_CHANNELS * MIB)

/* A frame that is in use: how many pages show it, none of a table, and whether the program has its number. One that is
 * not: the number of the next one of its list. */
#define FRAME_USED 0x80000000u
#define FRAME_HELD 0x40000000u
#define FRAME_NONE 0x7fffffffu /* no frame's number */

enum process_thread_state {
    PROCESS_FREE,
    PROCESS_GIVEN, /* has registers to begin with */
    PROCESS_RUNS,
};

struct process;

struct process_thread {
    struct user user;
    struct process *process;
    struct thread *thread;
    u8 number;
    u8 core;          /* which of its process's, for life */
    u8 state;         /* enum process_thread_state */
    u32 cores;        /* bits: where those that it starts may run */
    u64 word;         /* the address that it waits at, an odd one is a tunnel's bell; 0: none */
    u64 last_word;    /* to be zero when it has ended; 0: none */
    struct list link; /* process.waiters */
};

struct process {
    struct domain *domain;
    struct space space;
    struct program program;
    paddr_t memory;
    u64 size;                  /* bytes of it */
    u64 stack, heap, heap_end; /* addresses: the stack's end, the heap */
    u64 files, files_pages;    /* the address of its archive, and the bytes of whole pages that it has */
    u64 place;                 /* from the heap's end to here no page is free for map() to choose */
    u32 *frame;                /* of each: FRAME_*; behind the records of the threads */
    u32 free, n_free;          /* the first frame that is free; how many are */
    struct spinlock lock;
    unsigned alive;  /* threads not FREE */
    unsigned inside; /* kernel threads that may have the space loaded */
    unsigned n;      /* kernel threads */
    u64 calls, faults;
    u32 tunnels; /* bit n: the memory of the system's channel n is shown; under the lock */
    u32 bells;   /* bit n: its bell has rung and nobody has taken that yet; under the lock */
    struct list waiters;
    struct process_thread *thread; /* process_threads() records */
    u64 records;                   /* pages of them, and of `frame` */
};

/* Body of a process's kernel thread; `t`: its struct process_thread (run.c). */
void process_thread_body(void *t);
/* Carry out the call that the calling thread has made. Interrupts on. False: the thread is to end. */
bool process_call(struct process_thread *t);
/* The same for those that are settled at once: false, it is none. Interrupts off. */
bool process_fast(struct user *u);
/* A number that is none of process.yaml's; -ENOSYS: nobody's. Interrupts on. */
s64 process_call_more(struct process_thread *t);
/* The last of the process's threads has left it for good; on that thread. */
void process_left(struct process *p);
/* Let a free thread of one of the cores `cores` (bits) begin: its number, -EAGAIN: none is free. Addresses as for
 * user_start(). */
int process_thread_begin(struct process *p, u32 cores, u64 entry, u64 stack, u64 arg, u64 tp);
/* It is free again, then its last word is zero and who waits for that is woken; with the last one ends the process. */
void process_thread_end(struct process_thread *t);
/* The calls wait and wake (wait.c). */
s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns);
s64 process_wake(struct process *p, u64 word, u64 count);
/* What they stand on (waiters.c): put the calling thread into the list of waiters, under the lock; sleep without it
 * until somebody has taken it out: 0, or -ETIMEDOUT, or -ECANCELED, it is to end; take up to `count` that wait at
 * `word` out and wake them, under the lock, which returns how many. Then sched_poll() is due. */
static inline void process_enlist(struct process_thread *t, u64 word)
{
    t->word = word;
    list_push_back(&t->process->waiters, &t->link);
}
s64 process_sleep(struct process_thread *t, u64 deadline_ns);
s64 process_wake_some(struct process *p, u64 word, u64 count);
/* Channels that end at the process (tunnel.c, CONFIG_IPC). Take the tables that show their memory, once, before the
 * space has anything: -ENOMEM. */
int process_tunnels_begin(struct process *p);
/* Wake up to `count` threads of the process at the other end that wait at a word of a channel's memory: how many. */
s64 process_wake_peer(struct process *p, u64 word, u64 count);
/* domain_ops.share, .doorbell */
int process_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot) __optional;
void process_doorbell(struct domain *d, unsigned n) __optional;
/* Its frames as they are before it runs: all free but those of image and stack (frames.c). */
void process_frames_begin(struct process *p);
/* A free frame, in use from now on, or FRAME_NONE; and back, when it is zero. Under process.lock. */
u32 process_frame_take(struct process *p);
void process_frame_give(struct process *p, u32 frame);
/* The number of what an entry of a page shows. */
static inline u32 process_frame_of(const struct process *p, space_entry_t entry)
{
    return (u32)((space_frame(entry) - p->memory) >> PAGE_SHIFT);
}
/* map.c: whether these are whole pages, and some, of addresses whose pages calls may change: -EINVAL, -EFAULT. */
int process_check_pages(u64 address, u64 size);
/* No thread reaches what was there before by what a processor remembers. `self`: the caller is this one of them, or
 * none (NULL), who holds the domain then (domain_hold). Interrupts on, no lock held. */
void process_forget(struct process *p, struct process_thread *self);
/* Show frame `frame` where `entry` stands for a page, or make it the table that is missing there. Under the lock. */
void process_frame_show(struct process *p, space_entry_t *entry, u64 size, u32 frame, unsigned rights);
/* The archive of its files in the system's image: NULL, it has none. */
const void *process_files(const struct process *p, u64 *size);
/* Put the first thread's arguments onto its stack: where that ends, or 0 where they do not fit (arguments.c). Before it
 * runs. */
u64 process_arguments(struct process *p);
/* domain_ops.destroy */
void process_destroy(struct domain *d) __optional;

/* Copy `n` bytes out of / into the memory of the calling thread's process: 0, or -EFAULT where an address is not the
 * process's or not mapped so; then some bytes may have been copied. Interrupts may be on or off (copy.c). */
int process_read(struct process_thread *t, void *to, u64 from, size_t n);
int process_write(struct process_thread *t, u64 to, const void *from, size_t n);

static inline paddr_t process_frame_address(const struct process *p, u32 frame)
{
    return p->memory + ((paddr_t)frame << PAGE_SHIFT);
}

/* How many threads it may have. */
static inline unsigned process_threads(const struct process *p) { return p->domain->conf->process.threads; }

/* Where the kernel reaches address `at` of the first thread's stack: in memory, image, stack and heap follow each
 * other. */
static inline void *process_stack(const struct process *p, u64 at)
{
    return phys_to_virt(p->memory + p->program.size + PROCESS_STACK - (p->stack - at));
}

#endif
