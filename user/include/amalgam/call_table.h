/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/process.yaml by tools/amalgam/api/generate.py: edit that. */
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
    AMALGAM_WATCHDOG_KICK = 0x4150001b,
    AMALGAM_FAULT_KEEP = 0x4150001c,
    AMALGAM_SIGNAL_ENTRY = 0x4150001d,
    AMALGAM_SIGNAL_SEND = 0x4150001e,
    AMALGAM_SIGNAL_RETURN = 0x4150001f,
    AMALGAM_ALARM = 0x41500020,
    AMALGAM_CALLS_END
};

/* The kernel's errors, negated in a result; those of the C library's <errno.h> have other numbers. */
enum amalgam_error {
    AMALGAM_EPERM = 1,
    AMALGAM_ENOENT = 2,
    AMALGAM_EINTR = 4,
    AMALGAM_EIO = 5,
    AMALGAM_E2BIG = 7,
    AMALGAM_ENOEXEC = 8,
    AMALGAM_EBADF = 9,
    AMALGAM_EAGAIN = 11,
    AMALGAM_ENOMEM = 12,
    AMALGAM_EACCES = 13,
    AMALGAM_EFAULT = 14,
    AMALGAM_EBUSY = 16,
    AMALGAM_EEXIST = 17,
    AMALGAM_ENODEV = 19,
    AMALGAM_EINVAL = 22,
    AMALGAM_ENOSPC = 28,
    AMALGAM_EPIPE = 32,
    AMALGAM_ERANGE = 34,
    AMALGAM_ENOSYS = 38,
    AMALGAM_EOPNOTSUPP = 95,
    AMALGAM_ETIMEDOUT = 110,
    AMALGAM_ESTALE = 116,
};

enum amalgam_info {
    AMALGAM_INFO_VERSION,
    AMALGAM_INFO_THREADS,
    AMALGAM_INFO_TSC_KHZ,
    AMALGAM_INFO_DOMAIN,
    AMALGAM_INFO_CORES,
    AMALGAM_INFO_CORE,
    AMALGAM_INFO_WATCHDOG,
    AMALGAM_INFO_EPOCH
};
enum amalgam_map {
    AMALGAM_MAP_READ,
    AMALGAM_MAP_WRITE,
    AMALGAM_MAP_EXEC,
    AMALGAM_MAP_LAZY,
    AMALGAM_MAP_LARGE,
    AMALGAM_MAP_64K
};
enum amalgam_protect { AMALGAM_PROTECT_READ, AMALGAM_PROTECT_WRITE, AMALGAM_PROTECT_EXEC };
enum amalgam_tunnel_info {
    AMALGAM_TUNNEL_INFO_ADDRESS,
    AMALGAM_TUNNEL_INFO_SIZE,
    AMALGAM_TUNNEL_INFO_NUMBER,
    AMALGAM_TUNNEL_INFO_RIGHTS,
    AMALGAM_TUNNEL_INFO_PEER,
    AMALGAM_TUNNEL_INFO_STATE,
    AMALGAM_TUNNEL_INFO_RUNNING
};
enum amalgam_frame_map { AMALGAM_FRAME_MAP_READ, AMALGAM_FRAME_MAP_WRITE };

/* A value of 64 bits as two arguments, the last of a call: both halves where a register has 32 bits, else itself and
 * nothing. */
#if UINTPTR_MAX > UINT32_MAX
#define AMALGAM_WIDE(value) (value), 0
#else
#define AMALGAM_WIDE(value) (uintptr_t)(value), (uintptr_t)((value) >> 32)
#endif

static inline int64_t amalgam_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);

/* Do nothing; for measuring what a call costs. Returns 0. */
static inline int64_t amalgam_null(void) { return amalgam_call(AMALGAM_NULL, 0, 0, 0, 0); }

/* End the process, with all its threads. The console says "exit status N". status: N; its lower 8 bits count. */
static inline _Noreturn void amalgam_exit(int status)
{
    for (;;)
        amalgam_call(AMALGAM_EXIT, (uintptr_t)status, 0, 0, 0);
}

/*
 * Write to the process's console. data: the bytes. n: how many. Returns how many bytes were taken; -EFAULT: not all
 * of them are the process's memory.
 */
static inline int64_t amalgam_console_write(const void *data, size_t n)
{
    return amalgam_call(AMALGAM_CONSOLE_WRITE, (uintptr_t)data, (uintptr_t)n, 0, 0);
}

/* Let another thread of the same priority run on this core. Returns 0. */
static inline int64_t amalgam_yield(void) { return amalgam_call(AMALGAM_YIELD, 0, 0, 0, 0); }

/* Read the clock. Returns nanoseconds since the board was started; they never go back. */
static inline uint64_t amalgam_clock(void) { return (uint64_t)amalgam_call(AMALGAM_CLOCK, 0, 0, 0, 0); }

/* Sleep until clock() is at least `ns`. ns: nanoseconds as clock() counts them. Returns 0; -EINTR: a signal came. */
static inline int64_t amalgam_sleep_until(uint64_t ns)
{
    return amalgam_call(AMALGAM_SLEEP_UNTIL, AMALGAM_WIDE(ns), 0, 0);
}

/*
 * Start a thread. entry: its first function. stack: its stack pointer. arg: its argument. tp: its thread pointer, or
 * 0. Returns its number, from 1 on; -EAGAIN: the process already has all the threads that its system file allows, in
 * all or on those cores; -EINVAL: an address is not in the processes' range.
 */
static inline int64_t amalgam_thread_create(void (*entry)(void *), void *stack, void *arg, void *tp)
{
    return amalgam_call(AMALGAM_THREAD_CREATE, (uintptr_t)entry, (uintptr_t)stack, (uintptr_t)arg, (uintptr_t)tp);
}

/*
 * End this thread. When its stack is no longer in use, the word becomes 0 and all threads that wait on it are woken.
 * The last thread's end ends the process with status 0. word: the word, or 0 for none.
 */
static inline _Noreturn void amalgam_thread_exit(uint32_t *word)
{
    for (;;)
        amalgam_call(AMALGAM_THREAD_EXIT, (uintptr_t)word, 0, 0, 0);
}

/*
 * Set the register that points at this thread's variables (the base of FS). tp: its new value. Returns 0; -EINVAL:
 * the address is not in the processes' range.
 */
static inline int64_t amalgam_thread_pointer(void *tp)
{
    return amalgam_call(AMALGAM_THREAD_POINTER, (uintptr_t)tp, 0, 0, 0);
}

/*
 * Sleep while *word == expected, until woken or until clock() reaches `deadline`. word: 4 aligned bytes. expected:
 * the value to sleep for. deadline: nanoseconds; AMALGAM_NEVER is none. Returns 0 when woken; -EAGAIN: the word had
 * another value; -ETIMEDOUT: the deadline passed; -EINTR: a signal came; -EINVAL: not aligned; -EFAULT: not
 * readable; -EACCES: the word is in a tunnel that was withdrawn meanwhile; -EPIPE: the word is in a tunnel whose
 * peer has ended, meanwhile or since the last EPIPE that this thread got.
 */
static inline int64_t amalgam_wait(const uint32_t *word, uint32_t expected, uint64_t deadline)
{
    return amalgam_call(AMALGAM_WAIT, (uintptr_t)word, (uintptr_t)expected, AMALGAM_WIDE(deadline));
}

/*
 * Wake up to `count` threads that sleep on `word`: threads of this process and, if `word` is in a tunnel, of the
 * process at its other end. word: the word that they wait on. count: how many at most. Returns how many were woken.
 */
static inline int64_t amalgam_wake(const uint32_t *word, uint32_t count)
{
    return amalgam_call(AMALGAM_WAKE, (uintptr_t)word, (uintptr_t)count, 0, 0);
}

/* Ask which thread this is. Returns its number in the process; the first thread is 0. */
static inline int64_t amalgam_thread_self(void) { return amalgam_call(AMALGAM_THREAD_SELF, 0, 0, 0, 0); }

/*
 * Read one fact about the process. field: version: version of this table; threads: how many the process may have;
 * tsc_khz: frequency of the time stamp counter; domain: the process's number; cores: how many cores it has; core: on
 * which of them this thread is, from 0 on; watchdog: within how many milliseconds the process has to call
 * watchdog_kick, 0: never; epoch: nanoseconds from 1970 (UTC) to the start of clock(), 0: the board has no wall
 * clock. Returns the field's value.
 */
static inline int64_t amalgam_info(enum amalgam_info field)
{
    return amalgam_call(AMALGAM_INFO, (uintptr_t)field, 0, 0, 0);
}

/*
 * Map pages of zeros, from the process's memory that is not in use; tables for them come from the same memory. With
 * address 0 the kernel chooses the address, with an unmapped page on either side. address: aligned to the page size,
 * or 0. n: bytes, a multiple of the page size. protection: access that is allowed: read; read and write; read and
 * execute; lazy: read and write, and a page takes its memory only when it is first accessed; map keeps as much for
 * it, so that no access fails; large: read and write; the page size is 2 MiB (32-bit RISC-V 4 MiB); 64k: read and
 * write; the page size is 64 KiB. Returns the address; -ENOMEM: the process has no more memory, or, for a page of 64
 * KiB or a large one, none that is in one piece and aligned; -EINVAL: an argument is not a multiple of the page
 * size, or n is 0; -EFAULT: an address is not in the processes' range; -EEXIST: a page is mapped there already, or,
 * for a large page, a small one has been; -EOPNOTSUPP: large, on 32-bit x86; 64k, where the processor (RISC-V with
 * Svnapot) or its kernel has none.
 */
static inline int64_t amalgam_map(void *address, size_t n, enum amalgam_map protection)
{
    return amalgam_call(AMALGAM_MAP, (uintptr_t)address, (uintptr_t)n, (uintptr_t)protection, 0);
}

/*
 * Unmap pages, also of the image and the stack. Addresses where no page is mapped are skipped. The memory is cleared
 * and free again. address: page-aligned. n: bytes, a multiple of the page size. Returns 0; -EINVAL: an argument is
 * not page-aligned, n is 0, or the range begins or ends within a page of 64 KiB or a large one; -EFAULT: an address
 * is not in the processes' range.
 */
static inline int64_t amalgam_unmap(void *address, size_t n)
{
    return amalgam_call(AMALGAM_UNMAP, (uintptr_t)address, (uintptr_t)n, 0, 0);
}

/*
 * Change the allowed access to mapped pages. When the call returns it holds for all threads. address: page-aligned.
 * n: bytes, a multiple of the page size. protection: as for map. Returns 0; -EINVAL: as for unmap; -EFAULT: an
 * address is not in the processes' range, or a page is not mapped; -EACCES: exec for a page whose frame is mapped
 * elsewhere too, or has a number.
 */
static inline int64_t amalgam_protect(void *address, size_t n, enum amalgam_protect protection)
{
    return amalgam_call(AMALGAM_PROTECT, (uintptr_t)address, (uintptr_t)n, (uintptr_t)protection, 0);
}

/*
 * Choose the cores for the threads that this thread starts from now on. A thread stays on the core where it was
 * started. Thread N of a process is on core N modulo cores, which limits the threads of one core. cores: bit N: core
 * N of the process, below info's cores; other bits are ignored. Returns 0; -EINVAL: no bit is a core of the process.
 */
static inline int64_t amalgam_thread_cores(uint32_t cores)
{
    return amalgam_call(AMALGAM_THREAD_CORES, (uintptr_t)cores, 0, 0, 0);
}

/*
 * Read one fact about a tunnel of the process. Counting indices from 0 until ENOENT finds all tunnels. index: the
 * process's tunnel, in the order of the system file. field: address: of the tunnel's memory, the same in all
 * processes; size: bytes of that memory; number: the tunnel's number in the system file, the same for both ends;
 * rights: bit 0: the process may write, bit 1: its peer may; peer: domain id, 0xfffe is the Linux above; state: 1
 * granted, 0 withdrawn; running: 1 the peer runs, 0 it does not. Returns the field's value; -ENOENT: no such tunnel.
 */
static inline int64_t amalgam_tunnel_info(uint32_t index, enum amalgam_tunnel_info field)
{
    return amalgam_call(AMALGAM_TUNNEL_INFO, (uintptr_t)index, (uintptr_t)field, 0, 0);
}

/*
 * Ring the peer: a guest gets an interrupt; in a process one thread returns from tunnel_wait. Rings that the peer
 * has not taken yet are merged into one. index: the process's tunnel. Returns 0; -ENOENT: no such tunnel; -EACCES:
 * it was withdrawn; -EAGAIN: the peer does not run.
 */
static inline int64_t amalgam_tunnel_notify(uint32_t index)
{
    return amalgam_call(AMALGAM_TUNNEL_NOTIFY, (uintptr_t)index, 0, 0, 0);
}

/*
 * Take a ring of the peer: one that has come since the last one was taken, or the next one. A ring means that the
 * memory may have changed; it does not say how often or where. index: the process's tunnel. deadline: nanoseconds;
 * AMALGAM_NEVER is none. Returns 0; -ENOENT: no such tunnel; -EACCES: it was withdrawn, before or meanwhile; -EPIPE:
 * the peer has ended, meanwhile or since the last EPIPE that this thread got; -ETIMEDOUT: the deadline passed;
 * -EINTR: a signal came.
 */
static inline int64_t amalgam_tunnel_wait(uint32_t index, uint64_t deadline)
{
    return amalgam_call(AMALGAM_TUNNEL_WAIT, (uintptr_t)index, AMALGAM_WIDE(deadline), 0);
}

/*
 * Allocate a frame (one page of memory) of zeros that is not mapped yet. Returns the frame's number; -ENOMEM: the
 * process has no more memory.
 */
static inline int64_t amalgam_frame_alloc(void) { return amalgam_call(AMALGAM_FRAME_ALLOC, 0, 0, 0, 0); }

/*
 * Give up a frame's number. The memory is free when the frame is also mapped nowhere. frame: a number of frame_alloc
 * or frame_of. Returns 0; -ENOENT: the process holds no such number.
 */
static inline int64_t amalgam_frame_free(uint32_t frame)
{
    return amalgam_call(AMALGAM_FRAME_FREE, (uintptr_t)frame, 0, 0, 0);
}

/*
 * Map a frame whose number the process holds, also at several addresses. unmap undoes it. address: page-aligned.
 * frame: the frame's number. protection: as for map. Returns 0; -ENOMEM: no memory for tables; -ENOENT: the process
 * holds no such number; -EINVAL: the address is not page-aligned; -EFAULT: the address is not in the processes'
 * range; -EEXIST: a page is mapped there already.
 */
static inline int64_t amalgam_frame_map(void *address, uint32_t frame, enum amalgam_frame_map protection)
{
    return amalgam_call(AMALGAM_FRAME_MAP, (uintptr_t)address, (uintptr_t)frame, (uintptr_t)protection, 0);
}

/*
 * Get the number of the frame that is mapped at an address; the process holds it until frame_free. address:
 * page-aligned. Returns the frame's number; -EINVAL: the address is not page-aligned; -EFAULT: the address is not in
 * the processes' range, or no page is mapped there; -EACCES: the page is executable, large, or one of 64 KiB.
 */
static inline int64_t amalgam_frame_of(void *address)
{
    return amalgam_call(AMALGAM_FRAME_OF, (uintptr_t)address, 0, 0, 0);
}

/*
 * Ring the peer, then take a ring of the peer: tunnel_notify and, if that succeeds, tunnel_wait. index: the
 * process's tunnel. deadline: nanoseconds; AMALGAM_NEVER is none. Returns 0; -ENOENT: no such tunnel; -EACCES: it
 * was withdrawn, before or meanwhile; -EAGAIN: the peer does not run; -EPIPE: as for tunnel_wait; -ETIMEDOUT: the
 * deadline passed; -EINTR: a signal came, after the ring.
 */
static inline int64_t amalgam_tunnel_call(uint32_t index, uint64_t deadline)
{
    return amalgam_call(AMALGAM_TUNNEL_CALL, (uintptr_t)index, AMALGAM_WIDE(deadline), 0);
}

/*
 * Wait for the next page fault of another thread: a page is not mapped or does not allow the access. The first of
 * these calls makes this thread the process's pager until it ends. Faults are returned in the order in which they
 * came; the thread that faulted waits for fault_resume. A fault of the pager itself, or without a pager, ends the
 * process. fault: two words that are written: the address that was accessed, and the instruction's address. Returns
 * the number of the thread that faulted; -EBUSY: another thread is the pager; -EFAULT: the words cannot be written;
 * then no fault was taken; -EINTR: a signal came.
 */
static inline int64_t amalgam_fault_wait(uint64_t *fault)
{
    return amalgam_call(AMALGAM_FAULT_WAIT, (uintptr_t)fault, 0, 0, 0);
}

/*
 * Let a thread whose fault fault_wait returned repeat its access. If the page still does not allow it, fault_wait
 * returns the fault again. thread: the thread's number. Returns 0; -ENOENT: the thread does not wait for
 * fault_resume.
 */
static inline int64_t amalgam_fault_resume(uint32_t thread)
{
    return amalgam_call(AMALGAM_FAULT_RESUME, (uintptr_t)thread, 0, 0, 0);
}

/*
 * Say that the process lives. If it says so no more for as long as its system file allows (`watchdog`), from its
 * start or the last of these calls on, it is ended, and restarted if it is to be restarted after a fault. Returns 0;
 * -ENOENT: the system file gives the process no watchdog.
 */
static inline int64_t amalgam_watchdog_kick(void) { return amalgam_call(AMALGAM_WATCHDOG_KICK, 0, 0, 0, 0); }

/*
 * Let page faults wait for a pager, also while there is none, or stop that; then faults that wait and have no pager
 * end the process, as all do at its start. keeps: 1: they wait; 0: they do not. Returns 0.
 */
static inline int64_t amalgam_fault_keep(uint32_t keeps)
{
    return amalgam_call(AMALGAM_FAULT_KEEP, (uintptr_t)keeps, 0, 0, 0);
}

/*
 * Say where a thread of the process goes on when it takes a signal: at `entry`, with the signal's number in RDI, EAX
 * or A0, and the stack pointer at its context, as signal_return takes it, below what was its stack. It takes the
 * next one after signal_return. entry: the address. Returns 0; -EINVAL: the address is not in the processes' range.
 */
static inline int64_t amalgam_signal_entry(void (*entry)(void))
{
    return amalgam_call(AMALGAM_SIGNAL_ENTRY, (uintptr_t)entry, 0, 0, 0);
}

/*
 * Send a signal to a thread of the process. It takes it at once, or when it has returned from the signal before; a
 * sleep of its in wait, sleep_until, tunnel_wait, tunnel_call or fault_wait ends with EINTR. Signals of one number
 * that it has not taken are one; lower numbers come first. thread: the thread's number. signal: the signal's number.
 * Returns 0; -ENOENT: no such thread; -EAGAIN: the process has no signal_entry yet.
 */
static inline int64_t amalgam_signal_send(uint32_t thread, uint32_t signal)
{
    return amalgam_call(AMALGAM_SIGNAL_SEND, (uintptr_t)thread, (uintptr_t)signal, 0, 0);
}

/*
 * Return from a signal: go on with the registers of a context, this signal's or another one. With 0 the thread goes
 * on as it is, and takes signals again; with 1 it goes on as it is, and takes none until the next signal_return. Of
 * the context's flags and segments those that a program cannot set itself are ignored. context: the context, or 0 or
 * 1. Returns 0 with 0 and 1; otherwise it does not return; -EFAULT: the context is not the process's memory;
 * -EINVAL: its program counter is not in the processes' range.
 */
static inline int64_t amalgam_signal_return(const void *context)
{
    return amalgam_call(AMALGAM_SIGNAL_RETURN, (uintptr_t)context, 0, 0, 0);
}

/*
 * Send the calling thread signal 14 after a time, instead of after the time that it asked for before; 0 takes that
 * back. ns: nanoseconds from now on. Returns nanoseconds that were left of the time before; 0 there was none;
 * -EAGAIN: the process has no signal_entry yet.
 */
static inline int64_t amalgam_alarm(uint64_t ns) { return amalgam_call(AMALGAM_ALARM, AMALGAM_WIDE(ns), 0, 0); }

#endif
