/* SPDX-License-Identifier: MIT */
/*
 * thread.h - a thread's own record, beside its variables (_Thread_local, errno among them), as ELF thread-local storage
 * has it: on x86 (variant II) the thread pointer, the base of FS or with 32 bits of GS, points at the record and the
 * variables end below it; on RISC-V (variant I) it is the register TP, points at where the variables begin, and the
 * record lies right below.
 */
#ifndef AMALGAM_USER_THREAD_H
#define AMALGAM_USER_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_ALIGN 64u /* a cache line of its own: the record has words that other threads wait on */
#define STACK_ALIGN  16u
#define PAGE         4096u
#define LINE_SIZE    120 /* characters that a thread prints at once without a newline */

/* What becomes of it, in `fate`: whoever makes the second of the two steps, detach and exit, sees to its memory. */
enum { THREAD_JOINABLE, THREAD_DETACHED, THREAD_EXITED };

struct amalgam_thread {
    struct amalgam_thread *self; /* read as %fs:0 or %gs:0, also by the compiler */
    uint32_t running;            /* 1 until the kernel has left its stack for good */
    uint32_t fate;
    void *(*start)(void *);
    void *arg;
    void *result;
    char *memory;                /* one block: stack, variables and this record; NULL: the first thread */
    size_t stack_size;           /* of it */
    struct amalgam_thread *next; /* among those that exited detached */
    uint32_t line_length;
    char line[LINE_SIZE]; /* what it printed since the last newline */
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

/* What the kernel is to put where the compiler looks for the thread `t`. */
static inline uintptr_t thread_pointer(struct amalgam_thread *t) { return (uintptr_t)t + THREAD_POINTER; }

/* The stack pointer that a thread's first function begins with, whose stack ends at `end`; `arg` is its argument where
 * that is on the stack. */
static inline void *thread_stack(char *end, void *arg)
{
    char *top = (char *)((uintptr_t)end & -(uintptr_t)STACK_ALIGN);
#if defined(__x86_64__)
    top -= sizeof(uint64_t); /* where a call leaves its return address: 0, which ends a walk up the stack */
    *(uint64_t *)top = 0;
#elif defined(__i386__)
    top -= sizeof(uintptr_t) + STACK_ALIGN; /* the same, and above it the argument, which is aligned */
    ((uintptr_t *)top)[0] = 0;
    ((uintptr_t *)top)[1] = (uintptr_t)arg;
#endif
    (void)arg;
    return top;
}

/* tls.c: memory for a thread's variables and its record, and both made in [memory, memory + that). Returns the record.
 */
size_t tls_size(void);
struct amalgam_thread *tls_make(void *memory);
/* start.c: the program headers, which say what the variables begin with. */
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
/* heap.c: the heap's ends; before anything is allocated. */
void heap_begin(uintptr_t start, uintptr_t end);
/* console.c: print what the calling thread has not yet. */
void console_flush(void);

#endif
