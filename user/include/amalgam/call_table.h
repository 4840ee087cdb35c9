/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/process.yaml by tools/amalgam/api.py: edit that. */
/* Included by amalgam/calls.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_CALL_TABLE_H
#define AMALGAM_CALL_TABLE_H

#define AMALGAM_CALLS_VERSION 1

enum amalgam_call {
    AMALGAM_NULL = 0x41500000,
    AMALGAM_EXIT = 0x41500001,
    AMALGAM_CONSOLE_WRITE = 0x41500002,
    AMALGAM_YIELD = 0x41500003,
    AMALGAM_CLOCK = 0x41500004,
    AMALGAM_SLEEP_UNTIL = 0x41500005,
    AMALGAM_THREAD_CREATE = 0x41500006,
    AMALGAM_THREAD_EXIT = 0x41500007,
    AMALGAM_THREAD_POINTER = 0x41500008,
    AMALGAM_WAIT = 0x41500009,
    AMALGAM_WAKE = 0x4150000a,
    AMALGAM_THREAD_SELF = 0x4150000b,
    AMALGAM_INFO = 0x4150000c,
    AMALGAM_MAP = 0x4150000d,
    AMALGAM_UNMAP = 0x4150000e,
    AMALGAM_PROTECT = 0x4150000f,
    AMALGAM_THREAD_CORES = 0x41500010,
    AMALGAM_FRAME_ALLOC = 0x41500014,
    AMALGAM_FRAME_FREE = 0x41500015,
    AMALGAM_FRAME_MAP = 0x41500016,
    AMALGAM_FRAME_OF = 0x41500017,
    AMALGAM_CALLS_END
};

/* The kernel's errors, negated in a result; those of the C library's <errno.h> have other numbers. */
enum amalgam_error {
    AMALGAM_ENOENT = 2,
    AMALGAM_EIO = 5,
    AMALGAM_EBADF = 9,
    AMALGAM_EAGAIN = 11,
    AMALGAM_ENOMEM = 12,
    AMALGAM_EACCES = 13,
    AMALGAM_EFAULT = 14,
    AMALGAM_EBUSY = 16,
    AMALGAM_EEXIST = 17,
    AMALGAM_EINVAL = 22,
    AMALGAM_ERANGE = 34,
    AMALGAM_ENOSYS = 38,
    AMALGAM_ETIMEDOUT = 110,
};

enum amalgam_info { AMALGAM_INFO_VERSION, AMALGAM_INFO_THREADS, AMALGAM_INFO_TSC_KHZ, AMALGAM_INFO_DOMAIN, AMALGAM_INFO_CORES, AMALGAM_INFO_CORE };
enum amalgam_map { AMALGAM_MAP_READ, AMALGAM_MAP_WRITE, AMALGAM_MAP_EXEC };
enum amalgam_protect { AMALGAM_PROTECT_READ, AMALGAM_PROTECT_WRITE, AMALGAM_PROTECT_EXEC };
enum amalgam_frame_map { AMALGAM_FRAME_MAP_READ, AMALGAM_FRAME_MAP_WRITE };

static inline int64_t amalgam_call(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* Nothing: what a call costs. Returns 0. */
static inline int64_t amalgam_null(void) { return amalgam_call(AMALGAM_NULL, 0, 0, 0, 0); }

/* End the process, with all its threads. The console says "exit status N". status: N; its lower 8 bits count. */
static inline _Noreturn void amalgam_exit(int status)
{
    for (;;)
        amalgam_call(AMALGAM_EXIT, (uint64_t)status, 0, 0, 0);
}

/*
 * Write to the process's console. data: the bytes. n: how many. Returns how many bytes were taken; -EFAULT: they are
 * not all the process's own.
 */
static inline int64_t amalgam_console_write(const void *data, size_t n)
{
    return amalgam_call(AMALGAM_CONSOLE_WRITE, (uintptr_t)data, (uint64_t)n, 0, 0);
}

/* Let another thread of the same priority run on this core. Returns 0. */
static inline int64_t amalgam_yield(void) { return amalgam_call(AMALGAM_YIELD, 0, 0, 0, 0); }

/* The time. Returns nanoseconds since the board was started; never less than before. */
static inline uint64_t amalgam_clock(void) { return (uint64_t)amalgam_call(AMALGAM_CLOCK, 0, 0, 0, 0); }

/* Sleep until clock() is at least `ns`. ns: nanoseconds as clock() counts them. Returns 0. */
static inline int64_t amalgam_sleep_until(uint64_t ns)
{
    return amalgam_call(AMALGAM_SLEEP_UNTIL, (uint64_t)ns, 0, 0, 0);
}

/*
 * Start a thread. entry: where it begins. stack: its stack pointer. arg: its argument. tp: its thread pointer, or 0.
 * Returns its number, from 1 on; -EAGAIN: the process has all the threads that its system file allows, or all on
 * those cores; -EINVAL: not addresses of processes.
 */
static inline int64_t amalgam_thread_create(void (*entry)(void *), void *stack, void *arg, void *tp)
{
    return amalgam_call(AMALGAM_THREAD_CREATE, (uintptr_t)entry, (uintptr_t)stack, (uintptr_t)arg, (uintptr_t)tp);
}

/*
 * End this thread. `word`, if not 0, becomes 0 and all who wait on it are woken when the thread's stack is no longer
 * in use. The last thread's end ends the process with status 0. word: a word, or 0.
 */
static inline _Noreturn void amalgam_thread_exit(uint32_t *word)
{
    for (;;)
        amalgam_call(AMALGAM_THREAD_EXIT, (uintptr_t)word, 0, 0, 0);
}

/*
 * Set the register of this thread's own data (FS). tp: what it is from now on. Returns 0; -EINVAL: not an address of
 * processes.
 */
static inline int64_t amalgam_thread_pointer(void *tp)
{
    return amalgam_call(AMALGAM_THREAD_POINTER, (uintptr_t)tp, 0, 0, 0);
}

/*
 * Sleep while *word == expected, until woken or until clock() reaches `deadline`. word: 4 aligned bytes. expected:
 * what they are. deadline: nanoseconds; AMALGAM_NEVER is none. Returns 0 when woken; -EAGAIN: the word was
 * different; -ETIMEDOUT: the deadline passed; -EINVAL: not aligned; -EFAULT: not readable.
 */
static inline int64_t amalgam_wait(const uint32_t *word, uint32_t expected, uint64_t deadline)
{
    return amalgam_call(AMALGAM_WAIT, (uintptr_t)word, (uint64_t)expected, (uint64_t)deadline, 0);
}

/*
 * Wake up to `count` threads of this process that sleep on `word`. word: what they wait on. count: how many at most.
 * Returns how many were woken.
 */
static inline int64_t amalgam_wake(const uint32_t *word, uint32_t count)
{
    return amalgam_call(AMALGAM_WAKE, (uintptr_t)word, (uint64_t)count, 0, 0);
}

/* Which thread this is. Returns its number in its process; the first one is 0. */
static inline int64_t amalgam_thread_self(void) { return amalgam_call(AMALGAM_THREAD_SELF, 0, 0, 0, 0); }

/*
 * What a program may want to know. field: version: of this table; threads: how many the process may have; tsc_khz:
 * frequency of the time stamp counter; domain: its number; cores: how many the process has; core: which of them this
 * thread is on, from 0 on. Returns what `field` asks for.
 */
static inline int64_t amalgam_info(enum amalgam_info field)
{
    return amalgam_call(AMALGAM_INFO, (uint64_t)field, 0, 0, 0);
}

/*
 * Have memory: pages of zeros out of what the process has and does not use, and for the tables that show them. With
 * address 0 the kernel chooses where, with a page of nothing on either side. address: of pages, or 0. n: bytes, of
 * whole pages. protection: what may be done with them: read; read and write; read and execute. Returns the address;
 * -ENOMEM: the process has no more; -EINVAL: not whole pages, or none; -EFAULT: not addresses of processes; -EEXIST:
 * some page is there already.
 */
static inline int64_t amalgam_map(void *address, size_t n, enum amalgam_map protection)
{
    return amalgam_call(AMALGAM_MAP, (uintptr_t)address, (uint64_t)n, (uint64_t)protection, 0);
}

/*
 * Give memory back, the image's and the stack's as well. What is not there is left out. It is cleared. address: of
 * pages. n: bytes, of whole pages. Returns 0; -EINVAL: not whole pages, or none; -EFAULT: not addresses of
 * processes.
 */
static inline int64_t amalgam_unmap(void *address, size_t n)
{
    return amalgam_call(AMALGAM_UNMAP, (uintptr_t)address, (uint64_t)n, 0, 0);
}

/*
 * Change what may be done with memory that is there. When the call returns it holds for all threads. address: of
 * pages. n: bytes, of whole pages. protection: as for map. Returns 0; -EINVAL: not whole pages, or none; -EFAULT:
 * not addresses of processes, or nothing is there; -EACCES: exec, and it is shown elsewhere as well or has a number.
 */
static inline int64_t amalgam_protect(void *address, size_t n, enum amalgam_protect protection)
{
    return amalgam_call(AMALGAM_PROTECT, (uintptr_t)address, (uint64_t)n, (uint64_t)protection, 0);
}

/*
 * On which cores the threads run that this thread starts from now on. A thread stays on its core for life; thread N
 * of a process is on core N modulo cores, so only as many can be on one. cores: bit N: core N of info's cores; bits
 * of others are left out. Returns 0; -EINVAL: none of the process's cores.
 */
static inline int64_t amalgam_thread_cores(uint32_t cores)
{
    return amalgam_call(AMALGAM_THREAD_CORES, (uint64_t)cores, 0, 0, 0);
}

/* Have a page of zeros by its number, shown nowhere yet. Returns its number; -ENOMEM: the process has no more. */
static inline int64_t amalgam_frame_alloc(void) { return amalgam_call(AMALGAM_FRAME_ALLOC, 0, 0, 0, 0); }

/*
 * Give up a number. The memory is free when it is shown nowhere any more either. frame: of frame_alloc or frame_of.
 * Returns 0; -ENOENT: no such number.
 */
static inline int64_t amalgam_frame_free(uint32_t frame)
{
    return amalgam_call(AMALGAM_FRAME_FREE, (uint64_t)frame, 0, 0, 0);
}

/*
 * Show a page that has a number, also in several places. unmap ends that. address: of a page. frame: its number.
 * protection: as for map. Returns 0; -ENOMEM: no memory for tables; -ENOENT: no such number; -EINVAL: not a page;
 * -EFAULT: not an address of processes; -EEXIST: something is there already.
 */
static inline int64_t amalgam_frame_map(void *address, uint32_t frame, enum amalgam_frame_map protection)
{
    return amalgam_call(AMALGAM_FRAME_MAP, (uintptr_t)address, (uint64_t)frame, (uint64_t)protection, 0);
}

/*
 * Have the number of a page that is shown somewhere, until frame_free. address: of the page. Returns its number;
 * -EINVAL: not a page; -EFAULT: not an address of processes, or nothing is there; -EACCES: it may be executed.
 */
static inline int64_t amalgam_frame_of(void *address)
{
    return amalgam_call(AMALGAM_FRAME_OF, (uintptr_t)address, 0, 0, 0);
}

#endif
