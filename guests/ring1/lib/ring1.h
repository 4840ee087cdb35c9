/* SPDX-License-Identifier: MIT */
/* ring1.h - what our guests in ring 1 share: a console, tables, a handler of traps, programs in ring 3. */
#ifndef RING1_H
#define RING1_H

#include <stdbool.h>
#include <stdint.h>

#include "amalgam_calls.h"

#define PAGE   4096u
#define ENOSYS 38
#define ERANGE 34
#define EFAULT 14
#define EAGAIN 11
#define EINVAL 22

#define YIELD 0x414d0001u /* of kernel/api/calls.yaml, as all guests have it */

struct trap {
    uint32_t es, ds, edi, esi, ebp, unused, ebx, edx, ecx, eax, vector, error, eip, cs, flags, esp, ss;
};

/* Descriptors 0x10, 0x18: code and data of the kernel; 0x23, 0x2b: of programs; 0x30: task state. Handlers of all
 * vectors; paging, one to one, with pages that programs may use from USER on. */
void ring1_tables(void);
#define USER     0x400000u
#define USER_END 0x500000u
/* The entry of a page in the guest's own tables. */
uint32_t *ring1_entry(uint32_t va);
void ring1_invalidate(uint32_t va);

/* Called for each trap, if it is set; else a trap is reported and ends the guest. It may change the registers. */
extern void (*ring1_handler)(struct trap *t);
int ring1_program(uint32_t at, uint32_t stack);
void ring1_back(int result) __attribute__((noreturn));

void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ring1_off(void) __attribute__((noreturn));

static inline uint32_t random_next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

#endif
