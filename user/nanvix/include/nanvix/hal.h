/* SPDX-License-Identifier: MIT */
/*
 * nanvix/hal.h - the machine as Nanvix' programs see it: a cluster of CORES_NUM cores, of which one, the master, runs
 * the kernel and each of the others runs a thread. A program sees this cluster on every board. The system file says on
 * how many cores its threads really run (`cores:`); `threads:` must be THREAD_MAX to have all of them.
 */
#ifndef NANVIX_HAL_H_
#define NANVIX_HAL_H_

#include <nanvix/const.h>

typedef uint8_t byte_t;
typedef uint16_t hword_t;
typedef unsigned long word_t; /* a register */
typedef unsigned long long dword_t;
typedef uintptr_t paddr_t, vaddr_t;
typedef uintptr_t frame_t;

#define WORD_SIZE       __SIZEOF_LONG__ /* bytes of word_t */
#define CACHE_LINE_SIZE 64
#define PAGE_SHIFT      12
#define PAGE_SIZE       4096
#define CORES_NUM       16
#define CLUSTER_FREQ    1000000000 /* Hz of kclock() and PERF_CYCLES, which count nanoseconds */

#define VADDR(x) ((vaddr_t)(uintptr_t)(x))
#define PADDR(x) ((paddr_t)(uintptr_t)(x))

#define CLUSTER_IS_MULTICORE         1
#define CORE_HAS_PERF                1
#define CORE_SUPPORTS_MULTITHREADING 0

/* --- locks ------------------------------------------------------------------------------------------------------ */

typedef uint32_t spinlock_t;
#define SPINLOCK_UNLOCKED 0
#define SPINLOCK_LOCKED   1

extern void spinlock_init(spinlock_t *lock);
/* Polls the lock, and lets other threads run in between. */
extern void spinlock_lock(spinlock_t *lock);
/* Returns 0 if it took the lock, another value if the lock was taken. */
extern int spinlock_trylock(spinlock_t *lock);
extern void spinlock_unlock(spinlock_t *lock);

/* --- cores and caches ------------------------------------------------------------------------------------------- */

/* Returns the core of the calling thread, from 1 on (0 is the master). It does not change while the thread lives. */
extern int core_get_id(void);

/* The caches are coherent within a cluster, so these only order memory accesses. */
static inline void dcache_invalidate(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void dcache_flush(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* --- performance monitors: one a thread, which counts time ------------------------------------------------------- */

#define PERF_MONITORS_NUM  1
#define PERF_EVENTS_MAX    1
#define PERF_CYCLES        0
#define PERF_ICACHE_HITS   (-1)
#define PERF_ICACHE_MISSES (-1)
#define PERF_ICACHE_STALLS (-1)
#define PERF_DCACHE_HITS   (-1)
#define PERF_DCACHE_MISSES (-1)
#define PERF_DCACHE_STALLS (-1)
#define PERF_BUNDLES       (-1)
#define PERF_BRANCH_TAKEN  (-1)
#define PERF_BRANCH_STALLS (-1)
#define PERF_REG_STALLS    (-1)
#define PERF_ITLB_STALLS   (-1)
#define PERF_DTLB_STALLS   (-1)
#define PERF_STREAM_STALLS (-1)

/* The same as nanvix_perf_*() of nanvix/sys/perf.h. */
extern int perf_query(int event);
extern int perf_start(int perf, int event);
extern int perf_stop(int perf);
extern int perf_restart(int perf);
extern uint64_t perf_read(int perf);

/* --- exceptions --------------------------------------------------------------------------------------------------- */

#define EXCEPTION_INVALID_OPCODE     0
#define EXCEPTION_PAGE_FAULT         1
#define EXCEPTION_PAGE_PROTECTION    2
#define EXCEPTION_GENERAL_PROTECTION 3
#define EXCEPTIONS_NUM               4

struct exception {
    word_t num;         /* EXCEPTION_* */
    word_t addr;        /* the address that was accessed */
    word_t instruction; /* the address of the instruction */
};

static inline int exception_get_num(const struct exception *e) { return (int)e->num; }
static inline vaddr_t exception_get_addr(const struct exception *e) { return e->addr; }
static inline vaddr_t exception_get_instr(const struct exception *e) { return e->instruction; }

#endif
