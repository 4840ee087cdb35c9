/* SPDX-License-Identifier: MIT */
/* tls.c - makes a thread's variables next to its record (thread.h), with the alignment and the initial values of the
 * program's image. */
#include <string.h>

#include "thread.h"

static size_t align_up(size_t value, size_t align) { return (value + align - 1) & -align; }

static size_t alignment(void)
{
    return program_tls && program_tls->align > RECORD_ALIGN ? program_tls->align : RECORD_ALIGN;
}

/* Returns the variables' size rounded up to their alignment: on x86 the first one lies that far below the thread
 * pointer. */
static size_t variables_size(void)
{
    return program_tls ? align_up(program_tls->memory_size, program_tls->align ? program_tls->align : 1) : 0;
}

/* Returns the bytes of the record, and of the padding that aligns the thread pointer. */
static size_t record_size(void)
{
    return THREAD_POINTER ? align_up(THREAD_POINTER, alignment()) : sizeof(struct amalgam_thread);
}

size_t tls_size(void) { return alignment() + align_up(variables_size(), alignment()) + record_size(); }

struct amalgam_thread *tls_make(void *memory)
{
    uintptr_t at = align_up((uintptr_t)memory, alignment());
    at += THREAD_POINTER ? record_size() : align_up(variables_size(), alignment());
    struct amalgam_thread *thread = memset((void *)(at - THREAD_POINTER), 0, sizeof *thread);
    if (program_tls) {
        char *first = memset((char *)at - (THREAD_POINTER ? 0 : variables_size()), 0, variables_size());
        memcpy(first, (const void *)(program_base + program_tls->address), program_tls->file_size);
    }
    thread->self = thread;
    thread->running = 1;
    return thread;
}
