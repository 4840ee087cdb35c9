/* SPDX-License-Identifier: MIT */
/*
 * native/calls.h - what a native program is told and what it may call: a program of its own file that runs in kernel
 * space (kernel/native/), linked with a library of its own (user/rcce/, user/openmp/).
 *
 * The kernel calls the program's entry with a pointer to this record, by the System V ABI for i386 (arguments on the
 * stack), on a kernel stack of a few KiB: the entry changes to the program's own stack and does not return. All
 * functions may be called by the program's one thread of this core only, with interrupts on.
 *
 * A program that says so in its file (native/elf32.h) is one program on all cores: its memory is shared virtual memory
 * of the lazy model (svm/svm.h), at the same addresses everywhere, and each core has a stack of its own in it. What
 * comes before its data is read-only. The first NATIVE_WORDS bytes of `shared` are zeros then.
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

#define NATIVE_VERSION 2
#define NATIVE_WORDS   65536u

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
    char *stack, *heap, *end; /* the stack begins at `stack`; [heap, end) is what is left of the program's memory */
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
    char *stack_end;
    volatile uint32_t *line; /* of MPBT memory, which no other core uses: for mpbt_drain() */
    /* Set where FS begins, for this thread alone. It is 0 and without a limit before. */
    void NATIVE_CALL (*thread_pointer)(void *at);
};

#endif
