/* SPDX-License-Identifier: MIT */
/*
 * amalgam/calls.h - what a process can ask the kernel for. Numbers, errors and one inline function a call are in
 * amalgam/call_table.h, made from the kernel's own table.
 *
 * A call is the SYSCALL instruction with its number in RAX and up to six arguments in RDI, RSI, RDX, R10, R8, R9.  The
 * result comes back in RAX, where -4095 to -1 are errors.  RCX and R11 are lost, every other register is kept.  The
 * functions there return what the kernel returned; they never touch errno, whose numbers are the C library's own.
 * Programs normally use the C library instead (stdio.h, time.h, pthread.h).
 */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "call_table.h"

/* Types of the auxiliary vector beside ELF's own: where the heap begins and ends. */
enum amalgam_auxv { AMALGAM_AT_HEAP = 0x1000, AMALGAM_AT_HEAP_END = 0x1001 };

#define AMALGAM_NEVER (~0ull) /* a deadline that does not come */

static inline int64_t amalgam_call(enum amalgam_call number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    int64_t result = number;
    register uint64_t fourth __asm__("r10") = d;
    __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
}

#endif
