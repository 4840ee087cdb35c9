/* SPDX-License-Identifier: MIT */
/*
 * backtrace.c - prints who called whom, with names.
 *
 * The tables are those of the x86 port (tools/amalgam/binary/symtab.py). They hold symbols, and for each call how many
 * words above the stack pointer the return address of its own function is. The compiler keeps that address in the
 * highest word of a frame.
 *
 * From a call on, this is exact. Where an exception struck, ra is one caller, unless it points into the same function:
 * then an earlier call has left it. The next caller is searched for: the next word up the stack that points behind a
 * call.
 *
 * A kernel without names (CONFIG_NO_NAMES) prints addresses alone. It does not know where a function ends, so behind
 * the place of an exception its line for ra may be one of the same function.
 */
#include <arch/boot.h>
#include <arch/paging.h>
#include <arch/trap.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/upcalls.h>

#ifndef SYMTAB_NAMES /* the build says 0 of a kernel without names (NO_NAMES) */
#define SYMTAB_NAMES 1
#endif
#define NO_CALLER 255                           /* the first function of a stack */
#define UNKNOWN   254                           /* a frame whose size is not fixed */
#define NO_STACK  ((const unsigned long *)~0ul) /* every address is at or below its end */

extern const u32 symtab_count, symtab_calls;
extern const u32 symtab_offset[], symtab_call[];
extern const u16 symtab_name[];
extern const char symtab_names[];
extern const char image_start[], text_end[], init_end[], image_end[], trap_return[];

static bool in_text(unsigned long a)
{
    return a >= (unsigned long)image_start && a < (unsigned long)(init_dropped ? text_end : init_end);
}

static u32 key_of(unsigned long a) { return (u32)(a - (unsigned long)image_start); }

/* The last of `n` ascending entries that is at most `key`; the first if all are larger. A linear search: speed does
 * not matter here. */
static u32 find(const u32 *entry, u32 n, u32 key)
{
    u32 i = 0;
    while (i + 1 < n && entry[i + 1] <= key)
        i++;
    return i;
}

static u32 function_of(unsigned long a) { return find(symtab_offset, symtab_count, key_of(a)); }

static void print_place(unsigned long a)
{
    if (SYMTAB_NAMES && in_text(a)) {
        u32 i = function_of(a);
        printk("  %llx %s+0x%x\n", (u64)a, symtab_names + symtab_name[i], key_of(a) - symtab_offset[i]);
    } else {
        printk("  %llx\n", (u64)a);
    }
}

/* Calls, with the return address in ra: bits that are compared, and their values (RISC-V ISA manual, volume I). */
#define MASK_JAL    0xfffu
#define JAL_RA      0x0efu
#define MASK_JALR   0x7fffu
#define JALR_RA     0x00e7u
#define MASK_C_JALR 0xf07fu
#define C_JALR      0x9002u /* with a register other than x0 */
#define MASK_C_JAL  0xe003u
#define C_JAL       0x2001u /* harts of 32 bits only */

/* Whether a call returns to `a`: the instruction before it is JAL ra, JALR ra, or one of their short forms. */
static bool behind_call(unsigned long a)
{
    if (!in_text(a) || a & 1 || a < (unsigned long)image_start + 4)
        return false;
    const u16 *p = (const u16 *)a;
    u32 wide = p[-2] | (u32)p[-1] << 16, narrow = p[-1];
    bool jal = (wide & MASK_JAL) == JAL_RA, jalr = (wide & MASK_JALR) == JALR_RA;
    bool short_jalr = (narrow & MASK_C_JALR) == C_JALR && narrow >> 7 & 31;
    bool short_jal = sizeof(long) == 4 && (narrow & MASK_C_JAL) == C_JAL;
    return jal || jalr || short_jalr || short_jal;
}

static const unsigned long *search(const unsigned long *sp, const unsigned long *end)
{
    while (sp < end && !behind_call(*sp))
        sp++;
    return sp;
}

static bool is_stack(unsigned long sp)
{
    return IS_ALIGNED(sp, sizeof(sp)) && ((sp >= STACKS_BASE && sp < DEVICES_BASE) ||
                                          (sp >= LINEAR_BASE && sp < LINEAR_BASE + ((u64)PT_ENTRIES << PAGE_SHIFT)));
}

/* The end of the stack at `sp`. After an overflow sp lies in the lower half of the stack's slot. */
static const unsigned long *end_of_stack(const unsigned long *sp)
{
    return (const unsigned long *)(((unsigned long)sp | (2 * HAL_STACK_SIZE - 1)) + 1);
}

/* Print the place of an exception, and return where its stack goes on. */
static const unsigned long *stack_at(const struct trap_frame *f)
{
    unsigned long sp = f->x[X_SP], ra = f->x[X_RA];
    print_place(f->x[0]);
    bool same = SYMTAB_NAMES && in_text(f->x[0]) && function_of(ra - 1) == function_of(f->x[0]);
    if (behind_call(ra) && !same)
        print_place(ra - 1);
    if (!is_stack(sp))
        return NO_STACK;
    if (sp >= STACKS_BASE && !(sp & HAL_STACK_SIZE))
        sp = ALIGN_UP(sp, HAL_STACK_SIZE);
    return search((const unsigned long *)sp, end_of_stack((const unsigned long *)sp));
}

/* Print at most 24 callers. `sp` points to a return address each time. A broken stack ends the walk. */
__noinline static void walk(const unsigned long *sp)
{
    const unsigned long *end = end_of_stack(sp);
    for (unsigned depth = 0; depth < 24 && sp < end && in_text(*sp); depth++) {
        unsigned long at = *sp++;
        if (at == (unsigned long)trap_return) { /* an interrupt struck here; its frame is above */
            sp = stack_at((const struct trap_frame *)sp);
            end = end_of_stack(sp);
            continue;
        }
        print_place(--at);
        u8 words = (u8)symtab_call[find(symtab_call, symtab_calls, key_of(at) << 8 | 255)];
        if (words == NO_CALLER)
            break;
        sp = words == UNKNOWN ? search(sp, end) : sp + words;
    }
}

/* Without a frame, begin with the caller: the first word on the stack that points behind a call. */
void arch_backtrace(const struct trap_frame *f)
{
    const unsigned long *here;
    __asm__ volatile("mv %0, sp" : "=r"(here));
    walk(f ? stack_at(f) : search(here, end_of_stack(here)));
}
