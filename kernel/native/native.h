/* SPDX-License-Identifier: MIT */
/*
 * native.h - domains of kind NATIVE: a program of its own file in kernel space, with a kernel's thread, near bare metal
 * and without isolation (MetalSVM paper, III.C: a program with message passing and nothing else). What it may call is
 * native/calls.h; its library is user/rcce/.
 *
 * Its memory is taken when the domain is created: image, stack, heap, arguments. A start clears it and loads the file.
 * A shared program (share.c) begins once, because regions of shared virtual memory stay.
 */
#ifndef AMALGAM_NATIVE_NATIVE_H
#define AMALGAM_NATIVE_NATIVE_H

#include <core/domain.h>
#include <core/thread.h>
#include <native/calls.h>

#include "elf32.h"

#define NATIVE_STACK  (64u * KIB)
#define NATIVE_MEMORY (8u * MIB) /* the most */

struct native {
    struct domain *domain;
    struct thread *thread;
    struct elf32_image image;
    u8 *memory; /* conf->memory bytes; NULL: of a shared program that has not begun */
    struct native_calls calls;
};

/* The file and then the arguments, for one core of `members`, the `rank`th, which have stacks one behind the other;
 * rank 0 writes them. 0, -ENOEXEC, -E2BIG, and domain->reason. */
int native_load(struct native *p, unsigned rank, unsigned members);
/* For a shared program, in place of native_load(): all members together (svm/svm.h). 0, or why it cannot begin, also in
 * domain->reason. The program's thread. */
int native_share(struct native *p);
/* Fill in the functions, and what the board has. */
void native_calls_init(struct native_calls *c);

#endif
