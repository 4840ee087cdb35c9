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
 * This header has the records and the life of a process. Parts find in part.h the moments of that life, in memory.h
 * what they may do with a process's memory, in waiters.h how its threads wait, in tunnel.h what channels answer.
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
#include "remote.h"

#ifndef SPAWN
#define SPAWN 0 /* CONFIG_SPAWN */
#endif

#define PROCESS_THREADS     64           /* maximum */
#define PROCESS_STRINGS     (8 * KIB)    /* of the first stack, at most: arguments, environment, a pointer to each */
#define PROCESS_MAX_STRINGS 256          /* arguments, and as many of the environment */
#define PROCESS_MEMORY      (1ull << 30) /* maximum, because it is mapped page by page */

/* Addresses of the channels' memory and, below, of what the board gives, the same in all processes. No call that
 * changes pages reaches them, so below PROCESS_PARTS a process's tables map only its own frames. */
#define PROCESS_TUNNELS (USER_END - SYS_MAX_CHANNELS * MIB)
#ifndef PROCESS_PARTS_SIZE /* the build says it of a kernel with parts for more */
#define PROCESS_PARTS_SIZE (16 * MIB)
#endif
#define PROCESS_PARTS (PROCESS_TUNNELS - PROCESS_PARTS_SIZE)

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
struct process_run;

/*
 * What a process runs that another process has started (spawn/), in place of what its record names. It is made with the
 * process, and filled anew for each start.
 */
struct process_image {
    struct program program;  /* of a checked file */
    const struct thread *by; /* who starts the process now; NULL: nobody may */
    /* Copy n bytes of the file. Returns 0 or an error. On `by`. */
    int (*copy)(void *to, u64 offset, u64 n, void *arg);
    void *arg;
    const char *strings; /* arguments, then environment, each with a NUL */
    u32 size, argc, envc;
    u32 status;       /* that it called exit() with, and PROCESS_EXITED */
    unsigned console; /* the domain whose console it has */
};
#define PROCESS_EXITED 0x100u

struct process_thread {
    struct user user;
    struct process *process;
    struct thread *thread;
    u8 number;
    u8 core;   /* index into its process's cores; it never changes */
    u8 state;  /* enum process_thread_state */
    u32 look;  /* enum process_look, changed by atomic operations: what it has to see to before it goes outside */
    u32 cores; /* bits: cores that the threads which it creates may run on */
    u32 lost;  /* bit n: the peer of channel n has ended and this thread has not been told; process.lock */
    /* address that it waits at; an odd one is a tunnel's bell. Below USER_BASE it does not wait: the error that its
     * last wait ended with, or 0 */
    u64 word;
    u64 fault;        /* address of the access that the pager is to make possible */
    u64 exit_word;    /* address of the word to clear when it has ended; 0: none */
    struct list link; /* in process.waiters */
    u32 pending;      /* bits: signals that it has not taken; process.lock */
    bool handles;     /* it has taken one and not returned from it; process.lock */
    struct timer alarm;
#if REMOTE_ALL
    u64 waits_at; /* of a wait that the master is asked for (wait.c): the word, and */
    u32 wakes;    /* process.wakes before the thread read it */
#endif
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
#if SPAWN
    struct process_image *image; /* NULL: it runs what its record names */
#endif
#if REMOTE_ALL
    u32 wakes; /* how often threads that wait at a word were woken, or nobody was; under the lock */
#endif
};
#define PROCESS_PAGES                                                                                                  \
    (ALIGN_UP(sizeof(struct process), PAGE_SIZE) / PAGE_SIZE) /* of its record, which is made with it */

#if SPAWN
static inline struct process_image *process_image(const struct process *p) { return p->image; }
#else
static inline struct process_image *process_image(const struct process *p) { return NULL; }
#endif
/* domain_ops.input (spawn/input.c). With SPAWN only. */
void process_input(struct domain *d, u8 byte);
/* The process has stopped: free what its last run had, its threads, and clear its memory. Thread context, and nobody
 * starts it meanwhile. With SPAWN only. */
void process_clean(struct process *p);
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
/* Make the kernel thread of one of the process's threads leave, at priority `prio` at least. Any context. */
void process_thread_leave(struct process_thread *t, unsigned prio);
/* domain_ops.destroy */
void process_destroy(struct domain *d) __optional;

/* Returns whether the thread has its core now, so that an interrupt reaches its program. */
static inline bool process_has_core(const struct process_thread *t)
{
    return READ_ONCE(cpu_of(t->thread->cpu)->sched.running) == t->thread;
}

/* Return how many threads the process may have. */
static inline unsigned process_threads(const struct process *p) { return sys_process(p->domain->conf)->threads; }

#endif
