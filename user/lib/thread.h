/* SPDX-License-Identifier: MIT */
/*
 * thread.h - a thread's own record.  The thread pointer (FS base) points at it, and the thread's variables
 * (_Thread_local, errno among them) lie right below, as the x86-64 ABI has it (variant II of ELF thread-local storage).
 */
#ifndef AMALGAM_USER_THREAD_H
#define AMALGAM_USER_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_SIZE 120 /* characters that a thread prints at once without a newline */

/* What becomes of it, in `fate`: whoever makes the second of the two steps, detach and exit, sees to its memory. */
enum { THREAD_JOINABLE, THREAD_DETACHED, THREAD_EXITED };

struct amalgam_thread {
    struct amalgam_thread *self; /* read as %fs:0, also by the compiler */
    uint32_t running;            /* 1 until the kernel has left its stack for good */
    uint32_t fate;
    void *(*start)(void *);
    void *arg;
    void *result;
    void *memory;                /* one block: stack, variables and this record; NULL: the first thread */
    size_t stack_size;           /* of it */
    struct amalgam_thread *next; /* among those that exited detached */
    uint32_t line_length;
    char line[LINE_SIZE]; /* what it printed since the last newline */
};

static inline struct amalgam_thread *thread_self(void)
{
    struct amalgam_thread *self;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
}

/* tls.c: memory for a thread's variables and its record, and both made in [memory, memory + that). Returns the record.
 */
size_t tls_size(void);
struct amalgam_thread *tls_make(void *memory);
/* start.c: the program headers, which say what the variables begin with. */
struct program_header {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, memory_size, align;
};
extern const struct program_header *program_tls; /* NULL: no variables */
extern uintptr_t program_base;
/* heap.c: the heap's ends; before anything is allocated. */
void heap_begin(uintptr_t start, uintptr_t end);
/* console.c: print what the calling thread has not yet. */
void console_flush(void);

#endif
