/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/spawn.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/spawn.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_SPAWN_TABLE_H
#define AMALGAM_SPAWN_TABLE_H

#define AMALGAM_SPAWNS_VERSION 1

enum amalgam_spawn {
    AMALGAM_SPAWN_START = 0x53500000,
    AMALGAM_SPAWN_WAIT = 0x53500001,
    AMALGAM_SPAWN_KILL = 0x53500002,
    AMALGAM_SPAWN_EVENTS = 0x53500003,
    AMALGAM_SPAWN_SLEEP = 0x53500004,
    AMALGAM_SPAWN_PIPE = 0x53500005,
    AMALGAM_PIPE_READ = 0x53500006,
    AMALGAM_PIPE_WRITE = 0x53500007,
    AMALGAM_CONSOLE_READ = 0x53500008,
    AMALGAM_CONSOLE_INTERRUPTS = 0x53500009,
    AMALGAM_SPAWNS_END
};


/*
 * Start a program in a free one of the caller's slots. It is read while the call lasts, and not after. It gets the
 * handles that are listed, with the rights that are listed, behind those of its channels and in that order; its end
 * is told by spawn_wait(), and all of it ends with the caller. what: the program, its arguments, its environment and
 * its handles. Returns the number of what was started, from 16 on; no other one has had it for 100 million starts;
 * -EAGAIN: all slots are taken, or the caller has none; -EFAULT: not all of that is the process's memory; -EINVAL: a
 * count is too large, or the texts are not as many as they are said to be; -ENOEXEC: it is no program for this
 * processor, or its headers do not lie in its first 4 KiB; -ENOMEM: it does not fit into the slot's memory, with its
 * stack, or the kernel has none for its threads; -E2BIG: the texts and a pointer to each take more than 8 KiB;
 * -EBADF: a handle is none; -ESTALE: what a handle names was withdrawn; -EPERM: a handle may not be sent, or has not
 * all of the rights; -EACCES: the program's memory may not be read.
 */
static inline int64_t amalgam_spawn_start(const struct amalgam_program *what)
{
    return amalgam_call(AMALGAM_SPAWN_START, (uintptr_t)what, 0, 0, 0);
}

/*
 * Ask how a started program has ended. If it has, its slot is free, and its memory is zero, when the call returns.
 * Does not wait. child: what spawn_start() returned. Returns 256 * how + a number. how 0: it called exit(), with
 * that status; 1: by spawn_kill(), with that number; 2: by a fault; 3: otherwise; -EAGAIN: it runs; -ENOENT: the
 * caller has started none of that number that it has not been told the end of.
 */
static inline int64_t amalgam_spawn_wait(uint32_t child)
{
    return amalgam_call(AMALGAM_SPAWN_WAIT, (uintptr_t)child, 0, 0, 0);
}

/*
 * End a started program. Does not wait until it has ended. child: what spawn_start() returned. why: a number for
 * spawn_wait(). Returns 0, also where it is ending or has ended; -ENOENT: the caller has started none of that number
 * that it has not been told the end of.
 */
static inline int64_t amalgam_spawn_kill(uint32_t child, unsigned why)
{
    return amalgam_call(AMALGAM_SPAWN_KILL, (uintptr_t)child, (uintptr_t)why, 0, 0);
}

/*
 * Read how often something has happened that the process may wait for: what it has started has ended, a pipe of
 * which it has an end, or its console's input, has changed. Returns the count, which comes round.
 */
static inline int64_t amalgam_spawn_events(void) { return amalgam_call(AMALGAM_SPAWN_EVENTS, 0, 0, 0, 0); }

/*
 * Sleep while *word + spawn_events() == sum, until woken or until clock() reaches `deadline`. word: 4 aligned bytes.
 * sum: of both, as they were before the program looked for what it waits for. deadline: nanoseconds; AMALGAM_NEVER
 * is none. Returns 0 when woken, perhaps for nothing; -EAGAIN: the sum is another one; -ETIMEDOUT: the deadline
 * passed; -EINTR: a signal came; -EINVAL: not aligned, or not the process's own memory; -EFAULT: not readable.
 */
static inline int64_t amalgam_spawn_sleep(const uint32_t *word, uint32_t sum, uint64_t deadline)
{
    return amalgam_call(AMALGAM_SPAWN_SLEEP, (uintptr_t)word, (uintptr_t)sum, AMALGAM_WIDE(deadline));
}

/*
 * Make a pipe, two handles. A process has two pipes for each of its slots. Its ends are passed on by spawn_start()
 * only. Returns the handle that reads + 256 * the one that writes; -ENOMEM: all pipes are in use, or the process has
 * no slots; -ENOSPC: the process has 32 handles.
 */
static inline int64_t amalgam_spawn_pipe(void) { return amalgam_call(AMALGAM_SPAWN_PIPE, 0, 0, 0, 0); }

/*
 * Read from a pipe. Does not wait. handle: the pipe's end. data: where to. n: how many at most. Returns how many
 * bytes; 0: nobody has the writing end any more. n 0: how many there are; -EAGAIN: there is nothing, or another
 * thread is reading; -EBADF: the process has no such handle; -EINVAL: it is no pipe's; -EACCES: it is the other end;
 * -ESTALE: the pipe has ended; -EFAULT: not the process's memory; no byte is lost.
 */
static inline int64_t amalgam_pipe_read(unsigned handle, void *data, size_t n)
{
    return amalgam_call(AMALGAM_PIPE_READ, (uintptr_t)handle, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Write to a pipe. Up to 4096 bytes are written as one piece, or not yet. Does not wait. handle: the pipe's end.
 * data: from where. n: how many at most. Returns how many bytes; n 0: how many there is room for; -EAGAIN: there is
 * no room, or another thread is writing; -EPIPE: nobody has the reading end any more; -EBADF: the process has no
 * such handle; -EINVAL: it is no pipe's; -EACCES: it is the other end; -ESTALE: the pipe has ended; -EFAULT: not the
 * process's memory; no byte is lost.
 */
static inline int64_t amalgam_pipe_write(unsigned handle, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_PIPE_WRITE, (uintptr_t)handle, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Read what was typed at the process's console. Does not wait. data: where to. n: how many at most. Returns how many
 * bytes; n 0: how many there are; -EAGAIN: there is nothing, or another thread is reading; -EFAULT: not the
 * process's memory; no byte is lost.
 */
static inline int64_t amalgam_console_read(void *data, size_t n)
{
    return amalgam_call(AMALGAM_CONSOLE_READ, (uintptr_t)data, (uintptr_t)n, 0, 0);
}

/*
 * Read how often ^C was typed at the process's console. It is no byte of what console_read() has. Returns the count,
 * which comes round.
 */
static inline int64_t amalgam_console_interrupts(void) { return amalgam_call(AMALGAM_CONSOLE_INTERRUPTS, 0, 0, 0, 0); }

#endif
