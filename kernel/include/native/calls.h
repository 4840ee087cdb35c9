/* SPDX-License-Identifier: MIT */
/*
 * native/calls.h - information and functions for a native program: a program with a file of its own that runs in kernel
 * space (kernel/native/), linked with a library (user/rcce/, user/openmp/).
 *
 * The kernel calls the program's entry with a pointer to this record, by the System V ABI for i386 (arguments on the
 * stack), on a kernel stack of a few KiB. The entry changes to the program's own stack and does not return. Functions
 * may only be called by the program's one thread of this core, with interrupts on.
 *
 * A file can say that it is one program for all cores (native/elf32.h). Its memory is then shared virtual memory of the
 * lazy model (svm/svm.h), at the same addresses on all cores, with a stack for each of its cores. Memory before its
 * data is read-only, and below each stack is a page that is not mapped until it is used. The first NATIVE_WORDS bytes
 * of `shared` are zero at the start. The kernel of a core whose program ends without exit(), by a fault or because it
 * was stopped, sets the word at NATIVE_LOST there to 1.
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

#define NATIVE_VERSION 4
#define NATIVE_WORDS   65536u
#define NATIVE_REST_NS 20000u /* how long rest() sleeps, of a process and in a Linux, too */
#define NATIVE_LOST    (NATIVE_WORDS - 4)

/*
 * Each core's kernel has a number, which changes when it ends, and when others have found it dead; 0: none runs. A
 * program's members say their own kernels' numbers when they meet, and each keeps in `met` what it has heard then. A
 * number that is another one later is a loss: no earlier end is one, and no later one is missed (docs/lives.md).
 */
struct native_calls {
    uint32_t version;
    uint32_t core;            /* this core's number */
    uint32_t cores;           /* number of cores */
    uint32_t khz;             /* rate of the time stamp counter */
    char *mpb;                /* the message passing buffers of all cores, in order */
    uint32_t mpb_size;        /* bytes of each buffer */
    uint32_t mpb_kernel;      /* bytes at the start of each that the kernels use */
    char *shared;             /* off-chip memory that the program's cores share, at the same address on all */
    uint32_t shared_size;     /* bytes */
    char *stack, *heap, *end; /* the stack begins at `stack`; [heap, end) is the rest of the program's memory */
    int argc;                 /* the system file's arguments */
    char **argv;              /* argc pointers and a NULL */
    /* Write to the program's console. */
    void NATIVE_CALL (*write)(const char *text, uint32_t bytes);
    /* Let other threads of the core run for a while. Does not return if the program was stopped. */
    void NATIVE_CALL (*rest)(void);
    /* Returns whether a core was chosen to boot. A shared program begins when all of these have come. The answer is the
     * same on all cores, and stays. */
    bool NATIVE_CALL (*up)(uint32_t core);
    /* End the program. Does not return. */
    void NATIVE_CALL (*exit)(int status);
    char *stack_end;
    volatile uint32_t *line; /* a line of MPBT memory that no other core uses: for mpbt_drain() */
    /* Set the base of FS for this thread. At first it is 0, without a limit. */
    void NATIVE_CALL (*thread_pointer)(void *at);
    /* Returns native_find_lost(). Does not sleep, and does not return if the program was stopped. */
    uint32_t NATIVE_CALL (*lost)(void);
    const volatile uint32_t *kernels; /* of each core: its kernel's number now */
    /* Of each core: the number of its kernel when the program's members met; 0: it is not a member, or they have not
     * met. The kernel writes it for a shared program, another one does that itself. It is 0 at the start. */
    uint32_t *met;
};

/* Returns 0, or the number + 1 of one of the members' cores whose kernel has ended since they met: it was reset, or
 * gives no sign of life. */
static inline uint32_t native_find_lost(const struct native_calls *c)
{
    for (uint32_t core = 0; core < c->cores; core++)
        if (c->met[core] && c->kernels[core] != c->met[core])
            return core + 1;
    return 0;
}

#endif
