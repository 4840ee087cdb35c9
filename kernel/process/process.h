/* SPDX-License-Identifier: MIT */
/*
 * process.h - processes: domains of kind PROCESS. Their threads run unprivileged, in an address space of their own.
 *
 * Everything that a process will ever need is allocated at its creation: its memory, the first tables of its space, and
 * a kernel thread for each thread that it may have. A kernel thread without work sleeps until thread_create() gives it
 * a program's thread to run. The address space:
 *
 *   USER_BASE  image | guard page | stack of the first thread | guard page | heap | guard page | archive of its files,
 *              read-only | pages that map() places
 *              ... PROCESS_PARTS  what parts map (part.h) ... PROCESS_TUNNELS  a MiB for each channel of the system
 *              USER_END
 *
 * The process's memory holds image, stack and archive at its start. The other frames are free: map() takes them and
 * unmap() gives them back. A free frame is zero. A large page takes all frames of a run (frames.c), a medium one some
 * that follow each other (medium.c). A lazy page of map() takes a frame at the first access (lazy.c). The heap is a
 * range of addresses; the program's library maps frames there as the heap grows.
 *
 * Locks: process.lock guards the threads' `state`, the list of waiters, signals, `pager`, `bells`, `tunnels`, frames
 * and tables. No lock but those of timers and run queues is taken inside it.
 */
#ifndef AMALGAM_PROCESS_H
#define AMALGAM_PROCESS_H

#include <core/cpu.h>
#include <core/domain.h>
#include <core/lock.h>
#include <core/timer.h>
#include <core/wait.h>
#include <hal/memory.h>
#include <hal/user.h>
#include <list.h>
#include <process/system_part.h>

#include "program.h"

#define PROCESS_THREADS 64           /* maximum */
#define PROCESS_STRINGS (8 * KIB)    /* of the first stack, at most: arguments, environment, a pointer to each */
#define PROCESS_MEMORY  (1ull << 30) /* maximum, because it is mapped page by page */

/* Addresses of the channels' memory and, below, of what the board gives, the same in all processes. No call that
 * changes pages reaches them, so below PROCESS_PARTS a process's tables map only its own frames. */
#define PROCESS_TUNNELS (USER_END - SYS_MAX_CHANNELS * MIB)
#define PROCESS_PARTS   (PROCESS_TUNNELS - 16 * MIB)

/* State of a frame. Used: FRAME_USED + the number of pages that map it (0: it is a table) + FRAME_HELD if the program
 * holds its number. Not used any more, and not cleared yet: FRAME_USED + the number of the next one that its thread
 * clears. Free, or part of a large page: the number of the next free frame of its run. */
#define FRAME_USED 0x80000000u
#define FRAME_HELD 0x40000000u
#define FRAME_NONE 0x7fffffffu /* no frame's number */
#define FRAME_LAST 0x3fffffffu /* in place of a next one to clear */

/* A run: the frames of the memory that one large page could map; all frames where there are no large pages. */
#define RUN_FRAMES (SPACE_LARGE ? (u32)(SPACE_LARGE / PAGE_SIZE) : 1u)
struct process_run {
    struct list link; /* in process.whole or process.some; in neither while none of its frames is free */
    u32 free;         /* first free frame */
    u32 n;            /* free frames; of a large page: FRAME_USED + the number of pages that map it and of pins */
};

enum process_thread_state {
    PROCESS_FREE,
    PROCESS_READY, /* has its first registers, and has not run yet */
    PROCESS_RUNNING,
};

/* Bits of process_thread.look (signal.c). The first two keep it inside. */
enum process_look {
    PROCESS_LEAVES = 1,   /* it has to end */
    PROCESS_SIGNAL = 2,   /* it can take a signal */
    PROCESS_SIGNALS = 4,  /* it has been sent signals, or has had an alarm */
    PROCESS_ANSWERED = 8, /* the call for which it is inside has its result */
};

struct process;

struct process_thread {
    struct user user;
    struct process *process;
    struct thread *thread;
    u8 number;
    u8 core;       /* index into its process's cores; it never changes */
    u8 state;      /* enum process_thread_state */
    u32 look;      /* enum process_look, changed by atomic operations: what it has to see to before it goes outside */
    u32 cores;     /* bits: cores that the threads which it creates may run on */
    u32 lost;      /* bit n: the peer of channel n has ended and this thread has not been told; process.lock */
    u64 word;      /* address that it waits at; an odd one is a tunnel's bell. Below USER_BASE it does not wait: the
                      error that its last wait ended with, or 0 */
    u64 fault;     /* address of the access that the pager is to make possible */
    u64 exit_word; /* address of the word to clear when it has ended; 0: none */
    struct list link; /* in process.waiters */
    u32 pending;      /* bits: signals that it has not taken; process.lock */
    bool handles;     /* it has taken one and not returned from it; process.lock */
    struct timer alarm;
};

struct process {
    struct domain *domain;
    struct space space;
    struct program program;
    paddr_t memory;
    u64 size;                  /* bytes of `memory` */
    u64 stack, heap, heap_end; /* addresses: the end of the first stack; the heap */
    u64 stack_size;            /* of the first thread */
    u64 files, files_pages;    /* archive of its files: address, and size rounded up to pages */
    u64 map_hint;              /* from heap_end to here no page is free for map() to place */
    struct process_run *run;   /* each run; follows the records of the threads */
    u32 *frame;                /* state of each frame (FRAME_*); follows the runs */
    u32 skew;                  /* frames of the first run that lie before `memory` */
    u32 n_free;                /* free frames but those that are promised */
    u32 promised;              /* to lazy pages, one each */
    u32 n_large;               /* large pages */
    struct list whole, some;   /* runs all of whose frames are free; runs some of whose frames are */
    struct spinlock lock;
    unsigned alive;       /* threads that are not PROCESS_FREE */
    unsigned space_users; /* kernel threads that may have the space loaded */
    unsigned n;           /* kernel threads */
    u64 calls, faults;
    u64 signal_entry; /* where a thread that takes a signal goes on; 0: nowhere, so none is sent; under the lock */
    ticks_t
        deadline; /* by when it has to kick its watchdog; TICKS_NEVER when its threads are to leave; under the lock */
    struct timer watchdog;
    bool expired; /* it has not; its first thread is to leave, and to end it */
    u32 tunnels;  /* bit n: the memory of the system's channel n is mapped; under the lock */
    u32 bells;    /* bit n: the bell of channel n has rung, and no thread has taken the ring; under the lock */
    u8 channel[SYS_MAX_CHANNELS]; /* of each of its n_channels tunnels, by index: the channel's number in the system */
    u8 n_channels;
    bool keeps_faults; /* they wait for a pager while there is none; under the lock */
    bool has_medium;   /* it has mapped medium pages (medium.c); under the lock */
    bool fresh;        /* nothing has run in it since its program was mapped; its memory is zero */
    struct list waiters;
    struct semaphore console;               /* 1: no thread is writing */
    struct process_thread *pager;           /* handles the others' page faults; NULL: nobody; under the lock */
    struct process_thread *thread;          /* process_threads() records */
    struct process_thread *first;           /* none before it is PROCESS_FREE; under the lock */
    u64 records;                            /* pages of `thread`, `run` and `frame` */
    struct timer_set timers[SYS_MAX_CORES]; /* of its threads, on each of its cores */
};
#define PROCESS_PAGES                                                                                                  \
    (ALIGN_UP(sizeof(struct process), PAGE_SIZE) / PAGE_SIZE) /* of its record, which is made with it */

/* Returns what info() says of the epoch (kernel/api/process.yaml). The first call reads the board's clock, so it is
 * made where processes are created. */
s64 process_epoch(void);
/* The body of a process's kernel thread; `t` is its struct process_thread (run.c). */
void process_thread_body(void *t);
/* Handle the call that the calling thread has made. Returns false if the thread has to end. Interrupts on. */
bool process_call(struct process_thread *t);
/* user_init()'s two. process_fast() (fast.c or fast_kept.c): handle the call if it is a fast one, or, in fast.c, one of
 * process_blocking(). process_blocking(): handle the call if it is one that blocks or wakes. Both return false if it is
 * none. Interrupts off. */
bool process_fast(struct user *u);
bool process_blocking(struct user *u);
/* Start a free thread of the process, for thread `by`: on one of by->cores, and it is told what `by` has not been told
 * (by->lost). Returns its number, or -EAGAIN: no thread is free. Addresses as for user_start(). */
int process_thread_start(const struct process_thread *by, u64 entry, u64 stack, u64 arg, u64 tp);
/* The thread has ended: make it free, clear its exit word, and wake the waiters on that word. If it was the last
 * thread, end the process. */
void process_thread_end(struct process_thread *t);
/* The calls wait and wake (wait.c). Interrupts are off, and on again only while the thread sleeps. */
s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns);
s64 process_wake(struct process *p, u64 word, u64 count);
/* Waiters (waiters.c). Add the calling thread to the list; under the lock. */
static inline void process_waiter_add(struct process_thread *t, u64 word)
{
    t->word = word;
    list_push_back(&t->process->waiters, &t->link);
}
/* Then, without the lock, sleep until the thread is removed from the list. Returns 0: by a wake-up; the error that
 * process_waiter_end() was given; -ETIMEDOUT; -ECANCELED: the thread has to end. */
s64 process_waiter_block(struct process_thread *t, u64 deadline_ns);
/* Remove up to `count` waiters on `word` from the list and wake them; under the lock. Returns their number. The caller
 * calls sched_poll() after it has released the lock. */
s64 process_waiters_wake(struct process *p, u64 word, u64 count);
/* End the wait of thread `t`, which waits, with `error` (> 0; 0: as a wake-up); under the lock. The same for the
 * caller. */
void process_waiter_end(struct process_thread *t, int error);
/* Lazy pages (lazy.c). Returns whether the thread may access address `at` (`access`: SPACE_WRITE, SPACE_EXEC, or 0 to
 * read), after it has given the page a frame if it was lazy; if so, the access is to be tried again. Under the lock. */
bool process_give(struct process_thread *t, u64 at, unsigned access);
/* The same without the lock; then the parts are asked (dispatch_fault()). */
bool process_touch(struct process_thread *t, u64 at, unsigned access);
/* process_give(), also of a page that the pager brings: then it lets go of the lock, with interrupts on, and takes it
 * again. Interrupts are off. */
bool process_bring(struct process_thread *t, u64 at, unsigned access);
/* user_copy_piece() of a word once more, after it has failed: the page of `at`, the process's address, may have
 * been one that process_bring() brings. As that. */
int process_copy_again(struct process_thread *t, void *to, const void *from, u64 at, unsigned access);
/* Page faults (pager.c). Hand the calling thread's fault at `address` to the process's pager, and sleep until that
 * sends the thread back. Returns whether to go on; false: there is no pager, or it is this thread, or no pager could
 * help. Interrupts on, no lock held. */
bool process_page_fault(struct process_thread *t, u64 address);
/* Bring the pages of [at, at + n), a user's addresses, for `access` as for process_give(): each lazy one, and the first
 * one that is not there by the pager. Returns whether to try again; false also with interrupts off. */
bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access);
/* The thread has ended: if it was the pager, those that wait for it fault once more, and nobody helps. */
void process_pager_ended(struct process_thread *t);
/* Map [pa, pa+size) at `va`, whole pages, readable and SPACE_*. Tables come from page_alloc(). Returns 0; -EINVAL: not
 * pages, not users' addresses, writable and executable; -EEXIST: something is mapped there; -ENOMEM. Pages mapped
 * before a failure stay. The space is loaded nowhere. */
int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights);
/* Channels that end at a process (ipc/process.c, or tunnel_none.c without CONFIG_IPC).
 * Returns 0, or why the thread cannot wait at a word in the channels' memory: -EACCES: withdrawn; -EPIPE: the peer has
 * ended, which the thread is told once. Under the lock. */
s64 process_tunnel_check(struct process_thread *t, u64 word);
/* Wake up to `count` threads of the process at a channel's other end that wait on a word in the channel's memory.
 * Returns their number. Interrupts are off. */
s64 process_wake_peer(struct process *p, u64 word, u64 count);
/* domain_ops.share, .doorbell, .peer_ended */
int process_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot);
void process_doorbell(struct domain *d, unsigned n);
void process_peer_ended(struct domain *d, unsigned n);
/* Initialize the frames of a process that does not run: all are free but those of image, stack and files (frames.c). */
void process_frames_init(struct process *p);
/* Allocate a free frame that is not promised. Returns its number, or FRAME_NONE. Under process.lock. */
u32 process_frame_alloc(struct process *p);
/* Free a frame, which has to be zero. Under process.lock. */
void process_frame_free(struct process *p, u32 frame);
/* Allocate a free run for a large page, used once. Returns its first frame, or FRAME_NONE. Under process.lock. */
u32 process_large_alloc(struct process *p);
/* Clear and free a frame, or its large page, which nothing uses and no core remembers. No lock held. */
void process_frame_clean(struct process *p, u32 frame);
static inline struct process_run *process_run_of(const struct process *p, u32 frame)
{
    return &p->run[SPACE_LARGE ? (p->skew + frame) / RUN_FRAMES : 0];
}
static inline u32 process_runs(const struct process *p)
{
    return SPACE_LARGE ? (u32)(p->skew + p->size / PAGE_SIZE - 1) / RUN_FRAMES + 1 : 1;
}
/* Return where the uses of a frame that is in use are counted: its state, or its large page's n. Under process.lock. */
static inline u32 *process_uses(struct process *p, u32 frame)
{
    struct process_run *r = process_run_of(p, frame);
    return SPACE_LARGE && r->n & FRAME_USED ? &r->n : &p->frame[frame];
}
/* Return the number of the frame that the entry of a page maps. */
static inline __attribute__((always_inline)) u32 process_frame_of(const struct process *p, space_entry_t entry)
{
    return (u32)((space_frame(entry) - p->memory) >> PAGE_SHIFT);
}
/* Clear the entry of a page of frame `frame`. If nothing maps or holds that any more, put it onto the list *gone of
 * frames to clear, whose end is FRAME_LAST. Under the lock. */
static inline void process_frame_unmap(struct process *p, space_entry_t *entry, u32 frame, u32 *gone)
{
    __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
    if (--p->frame[frame] == FRAME_USED) {
        p->frame[frame] = FRAME_USED + *gone;
        *gone = frame;
    }
}
/* Check a range whose pages a call is to change (map.c). Returns 0; -EINVAL: not whole pages, or none; -EFAULT: not
 * addresses whose pages calls may change. */
int process_check_pages(u64 address, u64 size);
/* Flush the process's cached translations on all cores and wait for it: after that no thread reaches what its tables
 * no longer map. `self` is the caller, one of the threads; or NULL, then the caller holds the domain (domain_hold).
 * Interrupts on, no lock held. */
void process_flush(struct process *p, struct process_thread *self);
/* Set `entry`: it maps frame `frame` if it is the entry of a page (`size`), otherwise the frame becomes the missing
 * table. Under the lock. */
void process_frame_map(struct process *p, space_entry_t *entry, u64 size, u32 frame, unsigned rights);
/* Return the archive of its files in the system's image and its size, or NULL: it has no files. */
const void *process_files(const struct process *p, u64 *size);
#define PROCESS_SEED 32u
/* Draw random bytes for a start of a process (seed.c; with SEED only). Returns false if the board gave none. Any
 * context. */
bool process_seed(u8 to[PROCESS_SEED]);
/* Write the first thread's arguments onto its stack, before it runs (arguments.c). Returns the stack pointer, or 0:
 * they do not fit, or the record is wrong. */
u64 process_arguments(struct process *p);
/* Make the kernel thread of one of the process's threads leave, at priority `prio` at least. Any context. */
void process_thread_leave(struct process_thread *t, unsigned prio);
/* Watchdogs (watchdog.c, or nowatchdog.c without CONFIG_PROCESS_WATCHDOG). Check what the record says of it: NULL, or
 * why it is wrong. */
const char *process_watchdog_check(const struct sys_domain *d);
/* The process's threads are about to run: watch it, if its record says so. On core 0. */
void process_watchdog_start(struct process *p);
/* The process's threads are to leave: watch it no more. Any context. */
void process_watchdog_stop(struct process *p);
/* A thread of the process leaves: end the process if that is because it did not kick. Thread context. */
void process_watchdog_end(struct process *p);
/* domain_ops.destroy */
void process_destroy(struct domain *d) __optional;

/* Copy `n` bytes from or to the memory of the calling thread's process (copy.c). Returns 0, or -EFAULT: an address is
 * not the process's, or its page does not permit it; some bytes may have been copied. Interrupts may be on or off; with
 * interrupts on a lazy page is given first, and one that is not there is the pager's matter. */
int process_read(struct process_thread *t, void *to, u64 from, size_t n);
int process_write(struct process_thread *t, u64 to, const void *from, size_t n);

#define PROCESS_PINS (MIB / PAGE_SIZE + 1) /* pages that lie in a range of a MiB, at most */
struct process_pins {
    char *memory;            /* the process's, as the kernel reaches it */
    u32 n, offset;           /* frames; the first byte's offset in the first one */
    u16 frame[PROCESS_PINS]; /* their numbers, in the order of the addresses */
};
/*
 * Find the frames of [at, at + n), `n` from 1 byte to a MiB of the calling thread's process, and hold them: until
 * process_unpin() they are no other page's and no table, whatever the process unmaps (pin.c). `write`: to be written.
 * A page that is not there is the pager's matter first. Returns 0 or -EFAULT, also where a process has more than
 * 256 MiB (a cluster has 16). Interrupts on, no lock held.
 */
int process_pin(struct process_thread *t, u64 at, size_t n, bool write, struct process_pins *pins);
void process_unpin(struct process_thread *t, const struct process_pins *pins);

static inline paddr_t process_frame_address(const struct process *p, u32 frame)
{
    return p->memory + ((paddr_t)frame << PAGE_SHIFT);
}

/* Returns whether the thread has its core now, so that an interrupt reaches its program. */
static inline bool process_has_core(const struct process_thread *t)
{
    return READ_ONCE(cpu_of(t->thread->cpu)->sched.running) == t->thread;
}

/* Return how many threads the process may have. */
static inline unsigned process_threads(const struct process *p) { return sys_process(p->domain->conf)->threads; }

/* Return where the kernel reaches address `at` of the first thread's stack. In memory the stack follows the image. */
static inline void *process_stack(const struct process *p, u64 at)
{
    return phys_to_virt(p->memory + p->program.size + p->stack_size - (p->stack - at));
}

#endif
