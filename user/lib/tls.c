/* SPDX-License-Identifier: MIT */
/* tls.c - a thread's variables: beside its record (thread.h), aligned as the program wants, beginning as the program's
 * image says. */
#include <string.h>

#include "thread.h"

static size_t align_up(size_t value, size_t align) { return (value + align - 1) & -align; }

static size_t alignment(void)
{
    return program_tls && program_tls->align > RECORD_ALIGN ? program_tls->align : RECORD_ALIGN;
}

/* The variables' size rounded up to their own alignment: so far the linker counts down from the thread pointer. */
static size_t variables(void)
{
    return program_tls ? align_up(program_tls->memory_size, program_tls->align ? program_tls->align : 1) : 0;
}

/* Bytes of the record and, on its side of the thread pointer, what it takes to have that aligned. */
static size_t record(void)
{
    return THREAD_POINTER ? align_up(THREAD_POINTER, alignment()) : sizeof(struct amalgam_thread);
}

size_t tls_size(void) { return alignment() + align_up(variables(), alignment()) + record(); }

struct amalgam_thread *tls_make(void *memory)
{
    uintptr_t at = align_up((uintptr_t)memory, alignment());
    at += THREAD_POINTER ? record() : align_up(variables(), alignment());
    struct amalgam_thread *thread = memset((void *)(at - THREAD_POINTER), 0, sizeof *thread);
    if (program_tls) {
        char *first = memset((char *)at - (THREAD_POINTER ? 0 : variables()), 0, variables());
        memcpy(first, (const void *)(program_base + program_tls->address), program_tls->file_size);
    }
    thread->self = thread;
    thread->running = 1;
    return thread;
}
