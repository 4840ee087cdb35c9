/* SPDX-License-Identifier: MIT */
/*
 * native/calls.h - what a native program is told and what it may call: a program of its own file that runs in kernel
 * space (kernel/native/), linked with a library of its own (user/rcce/).
 *
 * The kernel calls the program's entry with a pointer to this record, by the System V ABI for i386 (arguments on the
 * stack), on a kernel stack of a few KiB: the entry changes to the program's own stack and does not return. All
 * functions may be called by the program's one thread only, with interrupts on.
 */
#ifndef AMALGAM_NATIVE_CALLS_H
#define AMALGAM_NATIVE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__i386__)
#define NATIVE_CALL __attribute__((regparm(0)))
#else
#define NATIVE_CALL
#endif

#define NATIVE_VERSION 1

struct native_calls {
    uint32_t version;
    uint32_t core;            /* which core this is, of ... */
    uint32_t cores;           /* how many */
    uint32_t khz;             /* of the time stamp counter */
    char *mpb;                /* the message passing buffers of all cores, one behind the other; each has ... */
    uint32_t mpb_size;        /* bytes, of which the first ... */
    uint32_t mpb_kernel;      /* are the kernels' */
    char *shared;             /* off-chip memory that all cores share, for programs; the same address everywhere */
    uint32_t shared_size;     /* bytes */
    char *stack, *heap, *end; /* the stack is [stack, heap), what is left of the program's memory [heap, end) */
    int argc;                 /* the system file's arguments */
    char **argv;              /* argc pointers and a NULL */
    /* Write to the program's console. */
    void NATIVE_CALL (*write)(const char *text, uint32_t bytes);
    /* Let the core do something else for a while. Does not return if the program was stopped. */
    void NATIVE_CALL (*rest)(void);
    /* Whether the kernel of a core runs. */
    bool NATIVE_CALL (*up)(uint32_t core);
    /* End the program. Does not return. */
    void NATIVE_CALL (*exit)(int status);
};

#endif
