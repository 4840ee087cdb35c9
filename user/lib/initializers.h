/* SPDX-License-Identifier: MIT */
/* initializers.h - the last step before main(): the functions that a program's objects want run. */
#ifndef AMALGAM_USER_INITIALIZERS_H
#define AMALGAM_USER_INITIALIZERS_H

typedef void initializer(void);
/* Hidden: the compiler reaches them relative to the program counter. */
extern __attribute__((visibility("hidden"))) initializer *__preinit_array_start[], *__preinit_array_end[],
    *__init_array_start[], *__init_array_end[];

static void run_each(initializer **first, initializer **end)
{
    for (; first < end; first++)
        (*first)();
}

/* Run them, in the order of the System V ABI. The C library has its memory and its streams. */
static inline void run_initializers(void)
{
    run_each(__preinit_array_start, __preinit_array_end);
    run_each(__init_array_start, __init_array_end);
}

#endif
