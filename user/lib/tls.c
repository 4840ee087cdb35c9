/* SPDX-License-Identifier: MIT */
/* tls.c - a thread's variables: below its record, aligned as the program wants, beginning as the program's image says.
 */
#include <string.h>

#include "thread.h"

#define RECORD_ALIGN 64u /* a cache line of its own: the record has words that other threads wait on */

static size_t align_up(size_t value, size_t align) { return (value + align - 1) & -align; }

static size_t alignment(void)
{
    return program_tls && program_tls->align > RECORD_ALIGN ? program_tls->align : RECORD_ALIGN;
}

/* The linker counts down from the thread pointer: the variables' size rounded up to their own alignment. */
static size_t variables(void)
{
    return program_tls ? align_up(program_tls->memory_size, program_tls->align ? program_tls->align : 1) : 0;
}

size_t tls_size(void) { return alignment() + align_up(variables(), alignment()) + sizeof(struct amalgam_thread); }

struct amalgam_thread *tls_make(void *memory)
{
    uintptr_t at = align_up((uintptr_t)memory, alignment()) + align_up(variables(), alignment());
    struct amalgam_thread *thread = memset((void *)at, 0, sizeof *thread);
    if (program_tls) {
        char *first = memset((char *)at - variables(), 0, variables());
        memcpy(first, (const void *)(program_base + program_tls->address), program_tls->file_size);
    }
    thread->self = thread;
    thread->running = 1;
    return thread;
}
