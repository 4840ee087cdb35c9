/* SPDX-License-Identifier: MIT */
/*
 * amalgam/calls.h - what a process can ask the kernel for: numbers, errors and one inline function a call.
 *
 * A call is the SYSCALL instruction with its number in RAX and up to six arguments in RDI, RSI, RDX, R10, R8, R9.  The
 * result comes back in RAX, where -4095 to -1 are errors.  RCX and R11 are lost, every other register is kept.  The
 * functions here return what the kernel returned; they never touch errno, whose numbers are the C library's own.
 * Programs normally use the C library instead (stdio.h, time.h, pthread.h).
 */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum amalgam_call {
    AMALGAM_NULL,
    AMALGAM_EXIT,
    AMALGAM_CONSOLE_WRITE,
    AMALGAM_YIELD,
    AMALGAM_CLOCK,
    AMALGAM_SLEEP_UNTIL,
    AMALGAM_THREAD_CREATE,
    AMALGAM_THREAD_EXIT,
    AMALGAM_THREAD_POINTER,
    AMALGAM_WAIT,
    AMALGAM_WAKE,
    AMALGAM_THREAD_SELF,
    AMALGAM_INFO,
};

/* The kernel's errors, negated in a result; those of the C library's <errno.h> have other numbers. */
enum amalgam_error {
    AMALGAM_EAGAIN = 11,
    AMALGAM_EFAULT = 14,
    AMALGAM_EINVAL = 22,
    AMALGAM_ENOSYS = 38,
    AMALGAM_ETIMEDOUT = 110,
};

enum amalgam_info { AMALGAM_INFO_VERSION, AMALGAM_INFO_THREADS, AMALGAM_INFO_TSC_KHZ, AMALGAM_INFO_DOMAIN };

/* Types of the auxiliary vector beside ELF's own: where the heap begins and ends. */
enum amalgam_auxv { AMALGAM_AT_HEAP = 0x1000, AMALGAM_AT_HEAP_END = 0x1001 };

#define AMALGAM_CONSOLE_MOST 4096u   /* bytes that one console_write takes */
#define AMALGAM_NEVER        (~0ull) /* a deadline that does not come */

static inline int64_t amalgam_call(enum amalgam_call number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    int64_t result = number;
    register uint64_t fourth __asm__("r10") = d;
    __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
}

/* Nothing: what a call costs. Returns 0. */
static inline int64_t amalgam_null(void) { return amalgam_call(AMALGAM_NULL, 0, 0, 0, 0); }

/* End the process, with all its threads. The console says "exit status N". */
static inline _Noreturn void amalgam_exit(int status)
{
    for (;;)
        amalgam_call(AMALGAM_EXIT, (uint64_t)status, 0, 0, 0);
}

/* Write to the process's console. Returns how many bytes were taken; -EFAULT: they are not all the process's own. */
static inline int64_t amalgam_console_write(const void *data, size_t n)
{
    return amalgam_call(AMALGAM_CONSOLE_WRITE, (uintptr_t)data, n, 0, 0);
}

/* Let another thread of the same priority run on this core. Returns 0. */
static inline int64_t amalgam_yield(void) { return amalgam_call(AMALGAM_YIELD, 0, 0, 0, 0); }

/* Returns nanoseconds since the board was started; never less than before. */
static inline uint64_t amalgam_clock(void) { return (uint64_t)amalgam_call(AMALGAM_CLOCK, 0, 0, 0, 0); }

/* Sleep until amalgam_clock() is at least `ns`. Returns 0. */
static inline int64_t amalgam_sleep_until(uint64_t ns) { return amalgam_call(AMALGAM_SLEEP_UNTIL, ns, 0, 0, 0); }

/* Start a thread at `entry` with `arg` as its argument, on `stack` (the value of its stack pointer) and with thread
 * pointer `tp`. Returns its number, from 1 on; -EAGAIN: the process has all the threads that its system file allows;
 * -EINVAL: not addresses of processes. */
static inline int64_t amalgam_thread_create(void (*entry)(void *), void *stack, void *arg, void *tp)
{
    return amalgam_call(AMALGAM_THREAD_CREATE, (uintptr_t)entry, (uintptr_t)stack, (uintptr_t)arg, (uintptr_t)tp);
}

/* End this thread. `word`, if not NULL, becomes 0 and all who wait on it are woken when the thread's stack is no longer
 * in use. The last thread's end ends the process with status 0. */
static inline _Noreturn void amalgam_thread_exit(uint32_t *word)
{
    for (;;)
        amalgam_call(AMALGAM_THREAD_EXIT, (uintptr_t)word, 0, 0, 0);
}

/* Set the base of FS for this thread. Returns 0; -EINVAL: not an address of processes. */
static inline int64_t amalgam_thread_pointer(void *tp)
{
    return amalgam_call(AMALGAM_THREAD_POINTER, (uintptr_t)tp, 0, 0, 0);
}

/* Sleep while *word == expected, until woken or until amalgam_clock() reaches `deadline` (AMALGAM_NEVER: none).
 * Returns 0 when woken; -EAGAIN: *word was different; -ETIMEDOUT; -EINVAL: not aligned; -EFAULT: not readable. */
static inline int64_t amalgam_wait(const uint32_t *word, uint32_t expected, uint64_t deadline)
{
    return amalgam_call(AMALGAM_WAIT, (uintptr_t)word, expected, deadline, 0);
}

/* Wake up to `count` threads of this process that sleep on `word`. Returns how many. */
static inline int64_t amalgam_wake(const uint32_t *word, uint32_t count)
{
    return amalgam_call(AMALGAM_WAKE, (uintptr_t)word, count, 0, 0);
}

/* Returns the number of this thread in its process; the first one is 0. */
static inline int64_t amalgam_thread_self(void) { return amalgam_call(AMALGAM_THREAD_SELF, 0, 0, 0, 0); }

/* Returns what `field` asks for: the interface's version (1), how many threads the process may have, the frequency of
 * the time stamp counter in kHz, the domain's number. -EINVAL: another field. */
static inline int64_t amalgam_info(enum amalgam_info field) { return amalgam_call(AMALGAM_INFO, field, 0, 0, 0); }

#endif
