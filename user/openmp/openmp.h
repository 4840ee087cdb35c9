/* SPDX-License-Identifier: MIT */
/*
 * openmp.h - what the files of the OpenMP runtime share. The runtime has the functions that gcc -fopenmp calls (GOMP_*,
 * __atomic_*) and those that programs call (omp_*), for one program with one thread on each core of an SCC.
 *
 * The program's data, heap and stacks are lazy shared virtual memory (svm/svm.h): a thread sees after an acquire what
 * another one wrote before a release. Every call that is a point of synchronization in OpenMP does both. The words of
 * struct omp_words, by which threads wait for each other, lie in uncached memory (native/calls.h, `shared`). Each has
 * one writer at a time, or is written under a lock taken by test-and-set.
 *
 * Thread n of a team runs on the n-th of the program's cores. Only one team at a time has more than one thread; a
 * parallel region inside another one is run by the thread that reaches it, alone.
 *
 * The compiler makes thread-local variables relative to GS, which the kernel uses here. `amalgam cc --openmp` makes
 * them relative to FS after it has linked the program.
 */
#ifndef AMALGAM_USER_OPENMP_H
#define AMALGAM_USER_OPENMP_H

#include <hal/mpbt.h>
#include <native/calls.h>
#include <types.h>

#define THREADS 48 /* at most */
#define ROUNDS  6  /* rounds of a barrier: 2^6 >= THREADS */
#define LOOKS   200
#define POLLS   1000
#define WORKS   64u  /* constructs that a team's fastest thread may be ahead of its slowest one */
#define LOCKS   512u /* omp_lock_t and names of critical sections */
#define HASHED  16u  /* locks of atomic operations */
#define DIMS    8u   /* nested loops whose iterations wait for others */

/* A word in a line of its own, so that a thread that polls it is not delayed by accesses to another word. */
struct omp_word {
    volatile u32 word, pad[7];
};

/* A lock of the program, of a critical section, or of the C library. */
struct omp_lock {
    volatile u32 word;
    volatile u32 free;        /* it was destroyed and can be allocated again */
    volatile uintptr_t owner; /* of a nested lock: the task that has it; of the C library's: its thread's number + 1 */
    volatile u32 pad[5];
};

/* How iterations are divided. The first four are omp_sched_t's. */
enum omp_schedule {
    SCHEDULE_STATIC = 1,
    SCHEDULE_DYNAMIC,
    SCHEDULE_GUIDED,
    SCHEDULE_AUTO,
    SCHEDULE_ORDERED = 0x100,
    SCHEDULE_DOACROSS = 0x200,  /* iterations wait for others (doacross.c) */
    SCHEDULE_CANCELLED = 0x400, /* no more chunks */
    SCHEDULES = 0xff
};

/* A work-sharing construct: a loop, sections, a single. Iterations are counted from 0 on. */
struct omp_work {
    volatile u32 lock;
    volatile u32 number;    /* the construct's number in the order of the program */
    volatile u32 left;      /* threads that have not left it; 0: the entry is free */
    volatile u32 turn;      /* the chunk whose ordered regions are next */
    volatile u32 chunks;    /* how many were given out */
    volatile u32 schedule;  /* enum omp_schedule with flags; changes only by SCHEDULE_CANCELLED */
    u64 trips, next, chunk; /* in iterations */
    s64 start, step, end;
    void *volatile copy; /* of a single with copyprivate: its results */
    /* What the first thread allocates. Of a description: bytes of the memory, and the clause whose copies are wanted.
     */
    u32 bytes;
    uintptr_t *clause;
    void *memory, *copies;
} __attribute__((aligned(32)));

/* How far a thread is in a loop whose iterations wait for others. It alone writes it. */
struct omp_row {
    volatile u32 number;   /* the construct's */
    volatile u32 posted;   /* its iterations before this one are done; ~0: all */
    volatile u32 from, to; /* its chunk, iterations of the outermost loop; written under the construct's lock */
    u32 pad[4];
};

/* A task (task.c). The lock of tasks guards all fields but those that only the thread that runs it uses. */
struct omp_task {
    void (*fn)(void *);
    void *data;
    struct omp_task *parent, *next;
    struct omp_group *group;
    struct omp_task *region; /* the implicit task of its team of one, or NULL */
    u32 children;            /* how many have not ended; of these */
    u32 idle;                /* have run and wait for their events, or are held */
    u32 born, number;        /* how many children it has had; its number among its parent's */
    u32 before;              /* of a held task: its earlier siblings that have not ended */
    u32 unfinished;          /* of an implicit task of a team of one: deferred tasks of the team that have not ended */
    bool deferred, ended, final;
    bool holds;   /* it is held as long as its earlier siblings have not ended */
    bool waits;   /* it has `detach`, and its event was not fulfilled */
    bool ran;     /* its function has returned */
    bool dropped; /* its group was cancelled before it began */
};

struct omp_tasks {
    volatile u32 lock;
    volatile u32 waiting;    /* tasks in the list */
    volatile u32 unfinished; /* tasks in the list, or taken out of it and not ended */
    struct omp_task *volatile first;
    struct omp_task *volatile held; /* depend on earlier siblings */
};

/* What of a team was cancelled (cancel.c), 0: nothing. */
struct omp_cancel {
    volatile u32 work;   /* the number of the barrier behind the work-sharing construct */
    volatile u32 region; /* the number of the barrier in which the region's threads meet */
    volatile u32 before; /* which region: struct omp_team */
};

/* The start of a parallel region. */
struct omp_fork {
    void (*fn)(void *);
    void *data;
    u32 threads, level, barriers, works, schedule, chunk, default_threads;
    bool with_work; /* a combined construct: its loop or sections are prepared */
    bool cancels;
    uintptr_t *clause; /* struct omp_team */
};

/* All words in uncached memory. They are zero at the start. */
struct omp_words {
    struct omp_word go[THREADS]; /* for each thread: the number of regions that it takes part in, written by thread 0 */
    /* For each thread and round: the number of the last barrier that it reached. Barriers use two sets in turn, so a
     * fast thread does not write a word that a slow thread still reads. */
    struct omp_word arrived[2][ROUNDS][THREADS];
    struct omp_word ended;
    volatile s32 status;
    struct omp_fork fork;
    struct omp_word global, atomic, hashed[HASHED];
    struct omp_lock libc, lock[LOCKS];
    volatile u32 n_locks, n_names;
    struct {
        void *name; /* of a critical section */
        struct omp_lock *lock;
    } volatile critical[LOCKS];
    struct omp_work work[WORKS];
    struct omp_row row[THREADS];
    struct omp_tasks tasks;
    struct omp_cancel cancel;
};

_Static_assert(sizeof(struct omp_words) <= NATIVE_LOST, "native/calls.h");

/* A team as one of its threads sees it. */
struct omp_team {
    u32 threads, number, level; /* level: how many regions are nested */
    u32 active;                 /* the level that has more than one thread, or 0 */
    uintptr_t *clause;          /* reductions of the region's tasks (reduction.c), or NULL */
    u32 before;                 /* the number of the last barrier before the region */
};

/* A loop whose iterations wait for others: how many loops, and the trips of each. */
struct omp_nest {
    u32 dims, trips[DIMS];
};

struct omp_thread {
    const struct native_calls *calls;
    struct omp_words *words;
    u32 id, all; /* its number among the program's threads; how many there are */
    struct omp_team team;
    u32 barriers, works, regions[THREADS]; /* counts, the same in all threads of a team; regions: only in thread 0 */
    u32 barriers_alone;                    /* the count in a team of one, which meets barriers that others do not */
    struct omp_work alone, *work;          /* the entry of a team of one; the construct that this thread is in */
    u32 chunk;                             /* number of its current chunk; static schedules: how many it had */
    u32 static_chunks;
    struct omp_nest nest;
    struct omp_cancel cancel;                      /* of a team of one */
    bool cancels;                                  /* OMP_CANCELLATION */
    struct omp_task *task;                         /* the task that it runs */
    u32 polls;                                     /* omp_polled() */
    u32 default_threads, schedule, schedule_chunk; /* internal control variables */
};

extern __thread struct omp_thread omp_self;

/* Make visible here what other threads have released. */
static inline void omp_acquire(void) { mpbt_invalidate(); }
/* Make visible to other threads what this thread wrote. */
static inline void omp_release(void) { mpbt_drain(omp_self.calls->line); }

/* Let other threads of the core run. Does not return if the program has ended, or one of its threads has without it. */
void omp_rest(void);
/* The program has called what does not wait, and may call it again and again: each POLLS-th time look whether the
 * program goes on, as omp_rest() does, without a rest. */
void omp_polled(void);
/* Count a look. PAUSE lets the other cores of an emulator run. Returns true each `often`-th time. */
static inline bool omp_look(u32 *looks, u32 often)
{
    __asm__ volatile("pause");
    return ++*looks % often == 0;
}
/* The state of a wait, which is begun once a wait. Only omp_relax() counts. */
struct omp_wait {
    u32 looks;
};
/* Wait a little between two looks of a wait: let others run. */
static inline void omp_relax(struct omp_wait *w)
{
    if (omp_look(&w->looks, LOOKS))
        omp_rest();
}
/* Wait until `what` is true. */
#define omp_await(what) for (struct omp_wait wait_ = { 0 }; !(what); omp_relax(&wait_))
/* The same, and run the tasks that others make. */
#define omp_await_with_tasks(what)                                                                                     \
    for (struct omp_wait wait_ = { 0 }; !(what); omp_task_run() ? (void)0 : omp_relax(&wait_))

/* Set an uncached word to 1 by XCHG, in place of a test-and-set register. Returns its old value. */
u32 omp_test_and_set(volatile u32 *word);
/* Take a lock, which is an acquire; omp_drop() is a release. */
static inline void omp_take(volatile u32 *lock)
{
    omp_await(!*lock && !omp_test_and_set(lock));
    omp_acquire();
}
static inline void omp_drop(volatile u32 *lock)
{
    omp_release();
    *lock = 0;
}

/* Returns whether the team's region was cancelled: then some of its threads go to its end at once. A thread that has
 * not left a region's last barrier may see that the next region was cancelled already. */
static inline bool omp_is_cancelled(void)
{
    const struct omp_thread *t = &omp_self;
    if (!t->cancels)
        return false;
    const struct omp_cancel *c = t->team.threads > 1 ? &t->words->cancel : &t->cancel;
    return c->region && c->before == t->team.before;
}

/* team.c */
void omp_worker(void) __attribute__((noreturn));
/* Wait until all threads of the team are here. A release before the wait, an acquire after it. Returns true if the
 * region was cancelled; then the wait may have been cut short. */
bool omp_barrier(void);
/* Run a region with up to `threads` threads (0: the default number). `work`, if not NULL, is the loop or the sections
 * of a combined construct. */
void omp_parallel(void (*fn)(void *), void *data, unsigned threads, const struct omp_work *work);
/* The same with reductions of tasks; `threads` is what omp_team_size() returned. */
void omp_parallel_reducing(void (*fn)(void *), void *data, unsigned threads, const struct omp_work *work,
                           uintptr_t *clause);
/* Returns how many threads a region has that asks for `threads` (0: the default number). */
unsigned omp_team_size(unsigned threads);

/* work.c */
/* Enter the team's next construct, which `w` describes; NULL: omp_work_prepare() has described it. Returns true for the
 * first thread that enters it. */
bool omp_work_enter(const struct omp_work *w);
/* Describe the next construct for `threads` threads before they start; they call omp_work_enter(NULL). */
void omp_work_prepare(const struct omp_work *w, unsigned threads);
void omp_work_leave(void);
/* Free all entries after a region that was cancelled. Its threads must have met. */
void omp_work_reset(void);
/* Get the next chunk, iterations [*from, *to). Returns false if there is none. */
bool omp_work_next(u64 *from, u64 *to);

/* doacross.c: this thread enters a loop whose iterations wait for others; has a chunk, with the construct's lock held
 * unless the schedule is static; is done with its chunk; leaves. */
void omp_row_enter(u32 number);
void omp_row_chunk(u64 from, u64 to);
void omp_row_done(void);
void omp_row_leave(void);

/* reduction.c: returns memory for `threads` threads' copies of a clause's variables, zeros. */
void *omp_clause_copies(const uintptr_t *clause, u32 threads);
/* The group of this thread's task reduces the clause's variables in these copies. */
void omp_clause_register(uintptr_t *clause, void *copies, u32 threads);
/* Returns `bytes` of zeros, aligned to a line or to `align` if that is more. Does not return without memory. */
void *omp_zeros(size_t align, size_t bytes);

/* Returns the number of iterations from `start` to before `end`. `up` gives the direction, because an unsigned step has
 * no sign. */
u64 omp_count(u64 start, u64 end, u64 step, bool up, bool is_signed);
/* task.c: run a task of the list. Returns false if there is none. Not in a team of one, where omp_tasks_finish() runs
 * tasks until none is left. */
bool omp_task_run(void);
void omp_tasks_finish(void);

/* Print what is wrong and end the program. */
void omp_fail(const char *why) __attribute__((noreturn));

#endif
