/* SPDX-License-Identifier: MIT */
/* tls.c - makes a thread's variables next to its record (thread.h), with the alignment and the initial values of the
 * program's image. */
#include <string.h>

#include "thread.h"

static size_t align_up(size_t value, size_t align) { return (value + align - 1) & -align; }

/* All of a program's threads have the same; the first one finds out, before there is another. */
static struct {
    size_t align;     /* of the thread pointer */
    size_t variables; /* their size rounded up to their alignment: on x86 the first one lies that far below it */
    size_t below;     /* bytes below the thread pointer */
} layout;

static void find_layout(void)
{
    size_t align = program_tls && program_tls->align ? program_tls->align : 1;
    layout.align = align > RECORD_ALIGN ? align : RECORD_ALIGN;
    layout.variables = program_tls ? align_up(program_tls->memory_size, align) : 0;
    layout.below = align_up(THREAD_POINTER ? THREAD_POINTER : layout.variables, layout.align);
}

size_t tls_size(void)
{
    if (!layout.align)
        find_layout();
    size_t above = THREAD_POINTER ? align_up(layout.variables, layout.align) : sizeof(struct amalgam_thread);
    return layout.align + layout.below + above;
}

void (*signals_late)(struct amalgam_thread *self);

/* Each member but `line`, and those that are pthread_create()'s, `cores`, `floats` and `signals`, one by one: half of
 * what a memset() would take. */
static void make_record(struct amalgam_thread *t)
{
    _Static_assert(offsetof(struct amalgam_thread, line) == 7 * sizeof(void *) + sizeof(size_t) + 7 * sizeof(uint32_t) +
                                                                sizeof(struct floats) + sizeof(struct thread_signals),
                   "these are all");
    t->self = t;
    t->running = 1;
    t->fate = THREAD_JOINABLE;
    t->start = NULL;
    t->arg = t->result = NULL;
    t->memory = NULL;
    t->stack_size = 0;
    t->next = NULL;
    t->line_length = 0;
    t->holds = t->late = 0;
    t->next_printing = NULL;
    t->prints = 0;
}

struct amalgam_thread *tls_make(void *memory)
{
    if (!layout.align)
        find_layout();
    uintptr_t at = align_up((uintptr_t)memory, layout.align) + layout.below;
    struct amalgam_thread *thread = (void *)(at - THREAD_POINTER);
    make_record(thread);
    if (program_tls) {
        char *first = (char *)at - (THREAD_POINTER ? 0 : layout.variables);
        size_t given = program_tls->file_size;
        memcpy(first, (const void *)(program_base + program_tls->address), given);
        memset(first + given, 0, layout.variables - given);
    }
    return thread;
}
