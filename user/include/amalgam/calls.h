/* SPDX-License-Identifier: MIT */
/*
 * amalgam/calls.h - the system calls of a process. amalgam/call_table.h, made from the kernel's own table, has the
 * numbers, the errors and one inline function for each call.
 *
 * A call is one instruction, with its number and up to six arguments in registers:
 *
 *            instruction  number  arguments                    result  lost
 *   x86-64   SYSCALL      RAX     RDI, RSI, RDX, R10, R8, R9   RAX     RCX, R11
 *   i386     INT 0x80     EAX     EBX, ECX, EDX, ESI, EDI, EBP EAX     EDX
 *   RISC-V   ECALL        A7      A0 to A5                     A0      A1 to A7, T0 to T6
 *
 * With registers of 32 bits, an argument of 64 bits takes a second register for its upper half, and so does the result:
 * EAX and EDX; A0 and A1. A result of -4095 to -1 is an error. Every register that is not named is kept. The functions
 * return what the kernel returned; they never set errno, which has the C library's own numbers. Programs normally use
 * the C library instead (stdio.h, time.h, pthread.h).
 */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "call_table.h"

/* Types of the auxiliary vector besides ELF's own: start and end of the heap; address and size of the archive of the
 * process's files. */
enum amalgam_auxv {
    AMALGAM_AT_RANDOM = 25, /* where 32 random bytes are, for this start only */
    AMALGAM_AT_HEAP = 0x1000,
    AMALGAM_AT_HEAP_END = 0x1001,
    AMALGAM_AT_FILES = 0x1002,
    AMALGAM_AT_FILES_SIZE = 0x1003,
};

#define AMALGAM_NEVER (~0ull) /* a deadline that is never reached */

static inline int64_t amalgam_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)
{
#if defined(__x86_64__)
    int64_t result = (int64_t)number;
    register uint64_t fourth __asm__("r10") = d;
    __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
#elif defined(__i386__)
    int64_t result;
    __asm__ volatile("int $0x80" : "=A"(result) : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
    return result;
#elif defined(__riscv)
    register uintptr_t a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d;
    register uintptr_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a7)
                     :
                     : "a4", "a5", "a6", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
    return sizeof a0 == sizeof(int64_t) ? (int64_t)a0 : (int64_t)((uint64_t)a1 << 32 | a0);
#else
#error "programs of processes are for x86-64, i386 and RISC-V"
#endif
}

#endif
