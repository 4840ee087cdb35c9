/* SPDX-License-Identifier: MIT */
/*
 * openmp.h - what the files of the OpenMP runtime share. It answers the calls that gcc -fopenmp emits (GOMP_*,
 * __atomic_*) and the program's own (omp_*), for one program whose threads are one on each core of an SCC.
 *
 * The program's data, heap and stacks are lazy shared virtual memory (svm/svm.h): what a thread wrote before a release
 * another one sees after an acquire. Both are here in every call that OpenMP makes a point of synchronization. Who
 * waits for whom is said by the words below, which lie in memory that nobody caches (native/calls.h, `shared`): each
 * has one writer at a time, or is written under a lock by test-and-set.
 *
 * Thread n of a team is the n-th of the program's cores. There is one team of more than one thread at a time; a
 * parallel region inside another one is run by the thread that meets it, alone.
 *
 * The compiler's thread-local variables are relative to GS, which is the kernel's here: `amalgam cc --openmp` makes
 * them relative to FS when it has linked the program.
 */
#ifndef AMALGAM_USER_OPENMP_H
#define AMALGAM_USER_OPENMP_H

#include <hal/mpbt.h>
#include <native/calls.h>
#include <types.h>

#define THREADS 48 /* at most */
#define ROUNDS  6  /* of a barrier: 2^6 >= THREADS */
#define LOOKS   200
#define WORKS   64u  /* constructs that a team's fastest thread may be ahead of its slowest one */
#define LOCKS   512u /* omp_lock_t and names of critical sections */
#define HASHED  16u  /* locks of atomic operations */

/* A line, so that who polls one word waits for nothing that is done to another. */
struct omp_word {
    volatile u32 word, pad[7];
};

/* A lock of the program's, of a critical section's name, of the C library. */
struct omp_lock {
    volatile u32 word;
    volatile u32 free;  /* was destroyed, and waits for the next one */
    volatile u32 owner; /* of one that nests: a thread + 1, or 0 */
    volatile u32 pad[5];
};

/* How iterations are given out. The first four are omp_sched_t's. */
enum omp_schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_AUTO, SCHEDULE_ORDERED = 0x100 };

/* A construct whose work a team divides: a loop, sections, a single. Iterations are counted from 0 on. */
struct omp_work {
    volatile u32 lock;
    volatile u32 number;    /* which construct of the program this is */
    volatile u32 left;      /* threads that have not left it; 0: the entry is free */
    volatile u32 turn;      /* the chunk whose ordered regions are next */
    volatile u32 chunks;    /* given out */
    u32 schedule;           /* | SCHEDULE_ORDERED */
    u64 trips, next, chunk; /* in iterations */
    s64 start, step, end;
    void *copy; /* of single with copyprivate */
} __attribute__((aligned(32)));

/* A piece of work that some thread does (task.c). Under the lock of tasks, but for what its own thread alone uses. */
struct omp_task {
    void (*fn)(void *);
    void *data;
    struct omp_task *parent, *next;
    struct omp_group *group;
    u32 children; /* that have not ended */
    bool deferred, ended, final;
};

struct omp_tasks {
    volatile u32 lock;
    volatile u32 waiting;    /* in the list */
    volatile u32 unfinished; /* in the list, or being run from there */
    struct omp_task *volatile first;
};

/* What a parallel region begins with. */
struct omp_fork {
    void (*fn)(void *);
    void *data;
    u32 threads, level, barriers, works, schedule, chunk;
    bool with_work; /* a combined construct: its loop or sections are prepared */
};

/* Everything in memory that nobody caches. Zeros at the start. */
struct omp_words {
    struct omp_word go[THREADS]; /* of each thread: how many regions it had a part in, written by thread 0 */
    /* Of each thread: the barrier in whose round it is. The next barrier has other words: a thread that is fast shall
     * not write to one that a slow thread still reads. */
    struct omp_word arrived[2][ROUNDS][THREADS];
    struct omp_word ended;
    volatile s32 status;
    struct omp_fork fork;
    struct omp_word global, atomic, hashed[HASHED];
    struct omp_lock libc, lock[LOCKS];
    volatile u32 n_locks, n_names;
    struct {
        void *name; /* of a critical section, and its lock */
        struct omp_lock *lock;
    } volatile critical[LOCKS];
    struct omp_work work[WORKS];
    struct omp_tasks tasks;
};

_Static_assert(sizeof(struct omp_words) <= NATIVE_WORDS, "native/calls.h");

/* A team as one of its threads sees it. */
struct omp_team {
    u32 threads, number, level; /* level: of regions in each other */
    u32 active;                 /* the level that has more than one thread, or 0 */
};

struct omp_thread {
    const struct native_calls *calls;
    struct omp_words *words;
    u32 id, all; /* which of the program's threads, of how many */
    struct omp_team team;
    u32 barriers, works, regions[THREADS]; /* counted as all threads of a team do; regions: thread 0's */
    struct omp_work alone, *work;          /* of a team of one; where this thread is */
    u32 chunk;                             /* the number of the one that it has, and of its own how many it had */
    u32 static_chunks;
    struct omp_task *task;                         /* that it is in */
    u32 default_threads, schedule, schedule_chunk; /* internal control variables */
};

extern __thread struct omp_thread omp_self;

/* See what others have released. */
static inline void omp_acquire(void) { mpbt_invalidate(); }
/* Let others see what was written here. */
static inline void omp_release(void) { mpbt_drain(omp_self.calls->line); }

/* Let the core do something else; ends this thread when the program has ended. */
void omp_rest(void);
static inline void omp_relax(unsigned *looks)
{
    __asm__ volatile("pause");
    if (++*looks % LOOKS == 0)
        omp_rest();
}

/* XCHG of 1, on a word that nobody caches: what was there. In place of a test-and-set register. */
u32 omp_test_and_set(volatile u32 *word);
/* A lock: an acquire; its end: a release. */
static inline void omp_take(volatile u32 *lock)
{
    for (unsigned looks = 0; *lock || omp_test_and_set(lock);)
        omp_relax(&looks);
    omp_acquire();
}
static inline void omp_drop(volatile u32 *lock)
{
    omp_release();
    *lock = 0;
}

/* team.c */
void omp_worker(void) __attribute__((noreturn));
/* All threads of the team have come; a release before, an acquire behind it. */
void omp_barrier(void);
/* Run a region with up to `threads` (0: as many as there are by default). `work`, if not NULL, is the loop or the
 * sections of a combined construct. */
void omp_parallel(void (*fn)(void *), void *data, unsigned threads, const struct omp_work *work);

/* work.c */
/* Enter the team's next construct; true: as the first. `w` says what it is, if it is not NULL. */
bool omp_work_enter(const struct omp_work *w);
/* Prepare the next construct for `threads` that are not there yet, and enter it with omp_work_enter(NULL). */
void omp_work_prepare(const struct omp_work *w, unsigned threads);
void omp_work_leave(void);
/* The next chunk: iterations [*from, *to). False: there is none. */
bool omp_work_next(u64 *from, u64 *to);

/* How many iterations there are from `start` to before `end`. `up`: the direction, as an unsigned step has no sign. */
u64 omp_count(u64 start, u64 end, u64 step, bool up, bool is_signed);
/* task.c: run a task that waits, if there is one. Not in a team of one. */
bool omp_task_run(void);

/* Say what is wrong and end the program. */
void omp_fail(const char *why) __attribute__((noreturn));

#endif
