/* SPDX-License-Identifier: MIT */
/*
 * native.h - domains of kind NATIVE: a program of its own file in kernel space, with a kernel's thread, near bare metal
 * and without isolation (MetalSVM paper, III.C: a program with message passing and nothing else). What it may call is
 * native/calls.h; its library is user/rcce/.
 *
 * Its memory is taken when the domain is created: image, stack, heap, arguments. A start clears it and loads the file.
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
    u8 *memory; /* conf->memory bytes */
    struct native_calls calls;
};

/*
 * Lay stack, heap and arguments out behind the image, and fill in what calls.h says of them. 0; -E2BIG: there is no
 * room for them, or the strings are not what the record says. Thread context, before the thread starts.
 */
int native_arguments(struct native *p);
/* Fill in the functions, and what the board has. */
void native_calls_init(struct native_calls *c);

#endif
