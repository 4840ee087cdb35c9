/* SPDX-License-Identifier: MIT */
/*
 * thread.h - a thread's record, which lies next to its variables (_Thread_local, such as errno) as ELF thread-local
 * storage lays them out. On x86 (variant II) the thread pointer is the base of FS, or with 32 bits of GS; it points at
 * the record, and the variables end below it. On RISC-V (variant I) the thread pointer is the register TP; it points at
 * the start of the variables, and the record ends below it.
 */
#ifndef AMALGAM_USER_THREAD_H
#define AMALGAM_USER_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "console.h"
#include "floats.h"

#define RECORD_ALIGN 64u /* a cache line of its own, because other threads wait on words of the record */
#define STACK_ALIGN  16u
#define PAGE         4096u
#define LINE_SIZE    120 /* characters that a thread prints at once without a newline */

/* Bits of `fate`. A thread is detached or joined once, and exits, in either order. A detached one's memory is freed by
 * the second of these steps, a joined one's by who joins it. */
enum { THREAD_JOINABLE, THREAD_DETACHED = 1, THREAD_EXITED = 2, THREAD_JOINED = 4 };

/* Of POSIX' signals (signals.h). Programs without them have this, but do not use it. */
struct thread_signals {
    uint32_t pending; /* sent to this thread */
    uint32_t handled; /* how many handlers have run; one that waits compares it */
    uint32_t number;  /* the kernel's; sent to by others */
    uint32_t open;    /* what its creator had open */
};

struct amalgam_thread {
    struct amalgam_thread *self; /* read as %fs:0 or %gs:0, also by the compiler */
    uint32_t running;            /* 1 until its stack is no longer in use; the kernel clears it */
    uint32_t fate;
    void *(*start)(void *);
    void *arg;
    void *result;                /* before it begins: the end of its stack */
    char *memory;                /* one block: stack, variables and this record; NULL: the first thread */
    size_t stack_size;           /* bytes of the stack in `memory`; 0: the stack is the program's */
    struct amalgam_thread *next; /* in the list of detached threads that have exited */
    uint32_t cores;              /* bits: those on which it may start; 0: any */
    uint32_t line_length;
    struct amalgam_thread *next_printing; /* in the list of threads that have printed (console.c) */
    uint32_t prints;                      /* 1: it is in that list */
    struct floats floats;                 /* its creator's */
    struct thread_signals signals;
    uint32_t holds;       /* its handlers wait while this is not 0 (signal.c); only its own thread */
    uint32_t late;        /* the signals that came meanwhile */
    char line[LINE_SIZE]; /* its output since the last newline */
};

/* Bytes from the record to the thread pointer. */
#if defined(__x86_64__) || defined(__i386__)
#define THREAD_POINTER 0
#else
#define THREAD_POINTER ((sizeof(struct amalgam_thread) + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN)
#endif

static inline struct amalgam_thread *thread_self(void)
{
#if defined(__x86_64__)
    struct amalgam_thread *self;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
#elif defined(__i386__)
    struct amalgam_thread *self;
    __asm__("mov %%gs:0, %0" : "=r"(self));
    return self;
#else
    char *pointer;
    __asm__("mv %0, tp" : "=r"(pointer));
    return (struct amalgam_thread *)(pointer - THREAD_POINTER);
#endif
}

/* tls.c: raises again what came while the thread held its handlers back. Set by signal.c, before the first one. */
extern void (*signals_late)(struct amalgam_thread *self);

/* The calling thread's handlers wait. So the library takes a lock that a handler may want, too: those of files and of
 * malloc(). May be nested. */
static inline void handlers_hold(void)
{
    thread_self()->holds++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void handlers_let(void)
{
    struct amalgam_thread *self = thread_self();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&self->holds, self->holds - 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&self->late, __ATOMIC_RELAXED) && !self->holds)
        signals_late(self);
}

/* Returns the thread pointer of thread `t`. */
static inline uintptr_t thread_pointer(struct amalgam_thread *t) { return (uintptr_t)t + THREAD_POINTER; }

/* Prepare a stack that ends at `end` for a thread's first function. `arg` is put on it where the calling convention
 * passes arguments on the stack. Returns the stack pointer. */
static inline void *thread_stack(char *end, void *arg)
{
    char *top = (char *)((uintptr_t)end & -(uintptr_t)STACK_ALIGN);
#if defined(__x86_64__)
    top -= sizeof(uint64_t); /* in place of a return address: 0, which ends a walk up the stack */
    *(uint64_t *)top = 0;
#elif defined(__i386__)
    top -= sizeof(uintptr_t) + STACK_ALIGN; /* the same, and above it the argument at an aligned address */
    ((uintptr_t *)top)[0] = 0;
    ((uintptr_t *)top)[1] = (uintptr_t)arg;
#endif
    (void)arg;
    return top;
}

/* pthread.c: what pthread_exit() calls first; NULL: nothing. thread_leave.c, which only those programs have that use
 * it: let it call a function, those of cleanups before those of keys, and mutexes
 * last. */
enum { LEAVE_CLEANUPS, LEAVE_KEYS, LEAVE_ROBUST, LEAVES };
extern void (*thread_leave)(void);
void thread_leave_by(unsigned which, void (*leave)(void));

/* tls.c: tls_size() returns the bytes of a thread's variables and record; tls_make() makes both in that much memory and
 * returns the record. */
size_t tls_size(void);
struct amalgam_thread *tls_make(void *memory);
/* What POSIX' signals do for threads; NULL in a program that has none (sigdeliver.c has it then). `prepare` is called
 * by pthread_create(), `begin` by the new thread, `end` by pthread_exit(). */
struct signal_hooks {
    void (*prepare)(struct amalgam_thread *t);
    void (*begin)(struct amalgam_thread *self);
    void (*end)(struct amalgam_thread *self);
};
extern const struct signal_hooks *const signal_hooks;
/* start.c: the program header of the variables' initial values. */
struct program_header {
    uint32_t type;
#if UINTPTR_MAX > UINT32_MAX
    uint32_t flags;
#endif
    uintptr_t offset, address, physical, file_size, memory_size;
#if UINTPTR_MAX == UINT32_MAX
    uint32_t flags;
#endif
    uintptr_t align;
};
extern const struct program_header *program_tls; /* NULL: no variables */
extern uintptr_t program_base;
extern uint32_t *program_random; /* CHACHA_KEY words of the kernel, until they are taken; NULL: none */
/* heap.c: set the heap's start and end, before the first allocation. heap_move_end(): as sbrk(), without the C
 * library's lock and errno, for a program without a thread's variables; NULL: there is no memory. */
void heap_begin(uintptr_t start, uintptr_t end);
void *heap_move_end(ptrdiff_t change);

#endif
