/* SPDX-License-Identifier: MIT */
/*
 * native.h - domains of kind NATIVE: a program with a file of its own in kernel space, with a kernel thread, without
 * isolation (MetalSVM paper, III.C: a program with message passing and nothing else). native/calls.h has its functions;
 * its library is user/rcce/.
 *
 * Its memory is allocated when the domain is created: image, stack, heap, arguments. A start clears it and loads the
 * file. A shared program (share.c) can start only once, because regions of shared virtual memory are never freed.
 */
#ifndef AMALGAM_NATIVE_NATIVE_H
#define AMALGAM_NATIVE_NATIVE_H

#include <core/domain.h>
#include <core/thread.h>
#include <board/scc.h>
#include <native/calls.h>
#include <process/system_part.h>

#include "elf32.h"

#define NATIVE_MEMORY (8u * MIB) /* the most */

struct native {
    struct domain *domain;
    struct thread *thread;
    struct elf32_image image;
    u8 *memory; /* conf->memory bytes; NULL: a shared program that has not started */
    struct native_calls calls;
    u64 cores;          /* bit n: the program runs on core n */
    u32 met[SCC_CORES]; /* native/calls.h */
};

static inline bool native_is_here(const struct native *p)
{
    return sys_runs_on(sys_process(p->domain->conf), scc_core);
}
/* Return the program's part of the memory that its cores share. */
static inline char *native_shared(const struct native *p)
{
    return (char *)SCC_PROGRAMS + sys_process(p->domain->conf)->shared_page * PAGE_SIZE;
}
static inline u32 native_stack(const struct native *p) { return sys_stack(sys_process(p->domain->conf)); }

/* Set the calls for this core. `first`: also load the file and write the arguments, which the cores of a shared program
 * have in common. Returns 0, or -ENOEXEC, -E2BIG with domain->reason. */
int native_load(struct native *p, bool first);
/* In place of native_load() for a shared program: all members load it together (svm/svm.h). Returns 0, or an error
 * with domain->reason. The program's thread. */
int native_share(struct native *p);
/* A shared program has ended here without exit(): set its word at NATIVE_LOST. Any context. */
void native_tell_lost(const struct native *p);
/* Set the functions and the information about the board in p->calls. */
void native_calls_init(struct native *p);

#endif
