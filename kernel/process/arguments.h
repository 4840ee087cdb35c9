/* SPDX-License-Identifier: MIT */
/* arguments.h - what the first thread finds on its stack when it begins (arguments.c, seed.c). */
#ifndef AMALGAM_PROCESS_ARGUMENTS_H
#define AMALGAM_PROCESS_ARGUMENTS_H

#include "process.h"

/* Return the archive of its files in the system's image and its size, or NULL: it has no files. */
const void *process_files(const struct process *p, u64 *size);
#define PROCESS_SEED 32u
/* Draw random bytes for a start of a process (seed.c; with SEED only). Returns false if the board gave none. Any
 * context. */
bool process_seed(u8 to[PROCESS_SEED]);
/* Write the first thread's arguments onto its stack, before it runs (arguments.c). Returns the stack pointer, or 0:
 * they do not fit, or the record is wrong. */
u64 process_arguments(struct process *p);

/* Return where the kernel reaches address `at` of the first thread's stack. In memory the stack follows the image. */
static inline void *process_stack(const struct process *p, u64 at)
{
    return phys_to_virt(p->memory + p->program.size + p->stack_size - (p->stack - at));
}

#endif
