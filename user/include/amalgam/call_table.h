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
    AMALGAM_TUNNEL_INFO = 0x41500011,
    AMALGAM_TUNNEL_NOTIFY = 0x41500012,
    AMALGAM_TUNNEL_WAIT = 0x41500013,
    AMALGAM_FRAME_ALLOC = 0x41500014,
    AMALGAM_FRAME_FREE = 0x41500015,
    AMALGAM_FRAME_MAP = 0x41500016,
    AMALGAM_FRAME_OF = 0x41500017,
    AMALGAM_TUNNEL_CALL = 0x41500018,
    AMALGAM_FAULT_WAIT = 0x41500019,
    AMALGAM_FAULT_RESUME = 0x4150001a,
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
    AMALGAM_EPIPE = 32,
    AMALGAM_ERANGE = 34,
    AMALGAM_ENOSYS = 38,
    AMALGAM_ETIMEDOUT = 110,
};

enum amalgam_info { AMALGAM_INFO_VERSION, AMALGAM_INFO_THREADS, AMALGAM_INFO_TSC_KHZ, AMALGAM_INFO_DOMAIN, AMALGAM_INFO_CORES, AMALGAM_INFO_CORE };
enum amalgam_map { AMALGAM_MAP_READ, AMALGAM_MAP_WRITE, AMALGAM_MAP_EXEC };
enum amalgam_protect { AMALGAM_PROTECT_READ, AMALGAM_PROTECT_WRITE, AMALGAM_PROTECT_EXEC };
enum amalgam_tunnel_info { AMALGAM_TUNNEL_INFO_ADDRESS, AMALGAM_TUNNEL_INFO_SIZE, AMALGAM_TUNNEL_INFO_NUMBER, AMALGAM_TUNNEL_INFO_RIGHTS, AMALGAM_TUNNEL_INFO_PEER, AMALGAM_TUNNEL_INFO_STATE, AMALGAM_TUNNEL_INFO_RUNNING };
enum amalgam_frame_map { AMALGAM_FRAME_MAP_READ, AMALGAM_FRAME_MAP_WRITE };

/* A value of 64 bits as two arguments, the last of a call: both halves where a register has 32 bits, else itself and nothing. */
#if UINTPTR_MAX > UINT32_MAX
#define AMALGAM_WIDE(value) (value), 0
#else
#define AMALGAM_WIDE(value) (uintptr_t)(value), (uintptr_t)((value) >> 32)
#endif

static inline int64_t amalgam_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);

/* Nothing: what a call costs. Returns 0. */
static inline int64_t amalgam_null(void) { return amalgam_call(AMALGAM_NULL, 0, 0, 0, 0); }

/* End the process, with all its threads. The console says "exit status N". status: N; its lower 8 bits count. */
static inline _Noreturn void amalgam_exit(int status)
{
    for (;;)
        amalgam_call(AMALGAM_EXIT, (uintptr_t)status, 0, 0, 0);
}

/*
 * Write to the process's console. data: the bytes. n: how many. Returns how many bytes were taken; -EFAULT: they are
 * not all the process's own.
 */
static inline int64_t amalgam_console_write(const void *data, size_t n)
{
    return amalgam_call(AMALGAM_CONSOLE_WRITE, (uintptr_t)data, (uintptr_t)n, 0, 0);
}

/* Let another thread of the same priority run on this core. Returns 0. */
static inline int64_t amalgam_yield(void) { return amalgam_call(AMALGAM_YIELD, 0, 0, 0, 0); }

/* The time. Returns nanoseconds since the board was started; never less than before. */
static inline uint64_t amalgam_clock(void) { return (uint64_t)amalgam_call(AMALGAM_CLOCK, 0, 0, 0, 0); }

/* Sleep until clock() is at least `ns`. ns: nanoseconds as clock() counts them. Returns 0. */
static inline int64_t amalgam_sleep_until(uint64_t ns)
{
    return amalgam_call(AMALGAM_SLEEP_UNTIL, AMALGAM_WIDE(ns), 0, 0);
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
 * different; -ETIMEDOUT: the deadline passed; -EINVAL: not aligned; -EFAULT: not readable; -EACCES: it is in a
 * tunnel that was withdrawn meanwhile; -EPIPE: it is in a tunnel whose peer has ended, meanwhile or since this
 * thread was told of that last.
 */
static inline int64_t amalgam_wait(const uint32_t *word, uint32_t expected, uint64_t deadline)
{
    return amalgam_call(AMALGAM_WAIT, (uintptr_t)word, (uintptr_t)expected, AMALGAM_WIDE(deadline));
}

/*
 * Wake up to `count` threads that sleep on `word`: of this process and, where `word` is in a tunnel, of a process at
 * its other end. word: what they wait on. count: how many at most. Returns how many were woken.
 */
static inline int64_t amalgam_wake(const uint32_t *word, uint32_t count)
{
    return amalgam_call(AMALGAM_WAKE, (uintptr_t)word, (uintptr_t)count, 0, 0);
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
    return amalgam_call(AMALGAM_INFO, (uintptr_t)field, 0, 0, 0);
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
    return amalgam_call(AMALGAM_MAP, (uintptr_t)address, (uintptr_t)n, (uintptr_t)protection, 0);
}

/*
 * Give memory back, the image's and the stack's as well. What is not there is left out. It is cleared. address: of
 * pages. n: bytes, of whole pages. Returns 0; -EINVAL: not whole pages, or none; -EFAULT: not addresses of
 * processes.
 */
static inline int64_t amalgam_unmap(void *address, size_t n)
{
    return amalgam_call(AMALGAM_UNMAP, (uintptr_t)address, (uintptr_t)n, 0, 0);
}

/*
 * Change what may be done with memory that is there. When the call returns it holds for all threads. address: of
 * pages. n: bytes, of whole pages. protection: as for map. Returns 0; -EINVAL: not whole pages, or none; -EFAULT:
 * not addresses of processes, or nothing is there; -EACCES: exec, and it is shown elsewhere as well or has a number.
 */
static inline int64_t amalgam_protect(void *address, size_t n, enum amalgam_protect protection)
{
    return amalgam_call(AMALGAM_PROTECT, (uintptr_t)address, (uintptr_t)n, (uintptr_t)protection, 0);
}

/*
 * On which cores the threads run that this thread starts from now on. A thread stays on its core for life; thread N
 * of a process is on core N modulo cores, so only as many can be on one. cores: bit N: core N of info's cores; bits
 * of others are left out. Returns 0; -EINVAL: none of the process's cores.
 */
static inline int64_t amalgam_thread_cores(uint32_t cores)
{
    return amalgam_call(AMALGAM_THREAD_CORES, (uintptr_t)cores, 0, 0, 0);
}

/*
 * Describes a tunnel of the process. Counting indices from 0 until ENOENT finds them all. index: the process's
 * tunnel, in the order of the system file. field: address: of its memory, the same in all processes; size: bytes of
 * it; number: the tunnel's in the system file, the same for both ends; rights: bit 0 the process may write, bit 1
 * its peer may; peer: domain id, 0xfffe is the Linux above; state: 1 granted, 0 withdrawn; running: 1 the peer runs,
 * 0 it does not. Returns the field's value; -ENOENT: no such tunnel.
 */
static inline int64_t amalgam_tunnel_info(uint32_t index, enum amalgam_tunnel_info field)
{
    return amalgam_call(AMALGAM_TUNNEL_INFO, (uintptr_t)index, (uintptr_t)field, 0, 0);
}

/*
 * Ring the peer's bell: a guest's interrupt, or one thread's return from tunnel_wait. Rings that the peer has not
 * taken yet coalesce. index: the process's tunnel. Returns 0; -ENOENT: no such tunnel; -EACCES: it was withdrawn;
 * -EAGAIN: the peer does not run.
 */
static inline int64_t amalgam_tunnel_notify(uint32_t index)
{
    return amalgam_call(AMALGAM_TUNNEL_NOTIFY, (uintptr_t)index, 0, 0, 0);
}

/*
 * Take a ring of the peer: one that has come since the last one was taken, or the next. Whoever rang says "look",
 * not how often or for what. index: the process's tunnel. deadline: nanoseconds; AMALGAM_NEVER is none. Returns 0;
 * -ENOENT: no such tunnel; -EACCES: it was withdrawn, before or meanwhile; -EPIPE: the peer has ended, meanwhile or
 * since this thread was told of that last; -ETIMEDOUT: the deadline passed.
 */
static inline int64_t amalgam_tunnel_wait(uint32_t index, uint64_t deadline)
{
    return amalgam_call(AMALGAM_TUNNEL_WAIT, (uintptr_t)index, AMALGAM_WIDE(deadline), 0);
}

/* Have a page of zeros by its number, shown nowhere yet. Returns its number; -ENOMEM: the process has no more. */
static inline int64_t amalgam_frame_alloc(void) { return amalgam_call(AMALGAM_FRAME_ALLOC, 0, 0, 0, 0); }

/*
 * Give up a number. The memory is free when it is shown nowhere any more either. frame: of frame_alloc or frame_of.
 * Returns 0; -ENOENT: no such number.
 */
static inline int64_t amalgam_frame_free(uint32_t frame)
{
    return amalgam_call(AMALGAM_FRAME_FREE, (uintptr_t)frame, 0, 0, 0);
}

/*
 * Show a page that has a number, also in several places. unmap ends that. address: of a page. frame: its number.
 * protection: as for map. Returns 0; -ENOMEM: no memory for tables; -ENOENT: no such number; -EINVAL: not a page;
 * -EFAULT: not an address of processes; -EEXIST: something is there already.
 */
static inline int64_t amalgam_frame_map(void *address, uint32_t frame, enum amalgam_frame_map protection)
{
    return amalgam_call(AMALGAM_FRAME_MAP, (uintptr_t)address, (uintptr_t)frame, (uintptr_t)protection, 0);
}

/*
 * Have the number of a page that is shown somewhere, until frame_free. address: of the page. Returns its number;
 * -EINVAL: not a page; -EFAULT: not an address of processes, or nothing is there; -EACCES: it may be executed.
 */
static inline int64_t amalgam_frame_of(void *address)
{
    return amalgam_call(AMALGAM_FRAME_OF, (uintptr_t)address, 0, 0, 0);
}

/*
 * Ring the peer, then take a ring of it: tunnel_notify and, if that was right, tunnel_wait. index: the process's
 * tunnel. deadline: nanoseconds; AMALGAM_NEVER is none. Returns 0; -ENOENT: no such tunnel; -EACCES: it was
 * withdrawn, before or meanwhile; -EAGAIN: the peer does not run; -EPIPE: as for tunnel_wait; -ETIMEDOUT: the
 * deadline passed.
 */
static inline int64_t amalgam_tunnel_call(uint32_t index, uint64_t deadline)
{
    return amalgam_call(AMALGAM_TUNNEL_CALL, (uintptr_t)index, AMALGAM_WIDE(deadline), 0);
}

/*
 * Be the process's pager, from the first of these calls until this thread ends, and wait until another thread cannot
 * go on because a page is not there or does not permit what it does. Faults are told in their order; the thread
 * waits for fault_resume. The pager's own faults, and all when there is none, end the process. fault: two numbers
 * are written there: the address accessed, and the instruction's. Returns the thread's number; -EBUSY: another
 * thread is the pager; -EFAULT: nothing can be written there; then no fault was taken.
 */
static inline int64_t amalgam_fault_wait(uint64_t *fault)
{
    return amalgam_call(AMALGAM_FAULT_WAIT, (uintptr_t)fault, 0, 0, 0);
}

/*
 * Let a thread whose fault was told do again what it did. Who has not changed its page will be told of it again.
 * thread: its number. Returns 0; -ENOENT: it does not wait for this.
 */
static inline int64_t amalgam_fault_resume(uint32_t thread)
{
    return amalgam_call(AMALGAM_FAULT_RESUME, (uintptr_t)thread, 0, 0, 0);
}

#endif
