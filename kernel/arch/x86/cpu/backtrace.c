/* SPDX-License-Identifier: MIT */
/*
 * backtrace.c - prints addresses as symbols, and the chain of callers.
 *
 * The tables are made from the first link (tools/amalgam/binary/symtab.py) and linked in by the second. Symbols: an
 * array of offsets from image_start in ascending order, an array of positions among the names, the names. Names that
 * .init.text has are apart, and are freed with it. Calls: there is no frame pointer (it costs 3 % of the text). The
 * compiler's frame information says for each call how many words above the stack pointer its function's return address
 * is. It is stored as offset << 8 | words, an entry wherever that differs from the call before.
 *
 * Without the tables (CONFIG_NO_SYMBOLS) addresses are printed, of which any may be a stale one.
 *
 * At a call this is exact. At an exception the stack is searched upwards for the first word that points behind a call,
 * which may be a stale one, once.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

#define NO_CALLER 255                           /* the first function of a stack */
#define UNKNOWN   254                           /* a frame whose size varies */
#define NO_STACK  ((const unsigned long *)~0ul) /* no stack */

extern const u32 symtab_count, symtab_calls;
extern const u32 symtab_offset[], symtab_call[];
extern const u16 symtab_name[];
extern const char symtab_names[], symtab_init_names[];
extern const char image_start[], text_end[], init_end[], trap_return[];

static bool in_text(unsigned long a)
{
    return a >= (unsigned long)image_start && a < (unsigned long)(init_dropped ? text_end : init_end);
}

/* Return the index of the last of `n` ascending entries that is at most `key`, the first if all are larger. Speed
 * does not matter. */
static u32 find_last(const u32 *entry, u32 n, u32 key)
{
    u32 i = 0;
    while (i + 1 < n && entry[i + 1] <= key)
        i++;
    return i;
}

static void print_place(unsigned long addr)
{
    if (in_text(addr) && symtab_count) {
        u32 key = (u32)(addr - (unsigned long)image_start), i = find_last(symtab_offset, symtab_count, key);
        const char *names = addr < (unsigned long)text_end ? symtab_names : symtab_init_names;
        printk("  %llx %s+0x%x\n", (u64)addr, names + symtab_name[i], key - symtab_offset[i]);
    } else {
        printk("  %llx\n", (u64)addr);
    }
}

#define CALL_RELATIVE 0xe8 /* with four bytes behind it */
#define GROUP_5       0xff /* CALL through a register or memory, of two to seven bytes, among others */

/* Returns whether `addr` is a return address: behind CALL rel32, or CALL through a register or memory. */
static bool behind_call(unsigned long addr)
{
    const u8 *p = (const u8 *)addr;
    return in_text(addr) &&
           (p[-5] == CALL_RELATIVE || p[-2] == GROUP_5 || p[-3] == GROUP_5 || p[-6] == GROUP_5 || p[-7] == GROUP_5);
}

/* Return the first word of the stack from `sp` on that is a return address; `end` if there is none. */
static const unsigned long *search(const unsigned long *sp, const unsigned long *end)
{
    while (sp < end && !behind_call(*sp))
        sp++;
    return sp;
}

static bool on_kernel_stack(unsigned long sp) { return sp - STACKS_BASE < DEVICES_BASE - STACKS_BASE; }

/* Return the end of the readable stack at `sp`: of the kernel stack, or of the page if it is no kernel stack. */
static const unsigned long *end_of_stack(const unsigned long *sp)
{
    unsigned long within = on_kernel_stack((unsigned long)sp) ? HAL_STACK_SIZE - 1 : PAGE_SIZE - 1;
    return (const unsigned long *)(((unsigned long)sp | within) + 1);
}

/* Return where to start in the stack of an exception. After an overflow it points into the guard page below the
 * stack. A native program's stack cannot be read after a double fault: any other exception was pushed on it. */
static const unsigned long *stack_at(const struct trap_frame *f)
{
    unsigned long sp = trap_sp(f);
    print_place(trap_ip(f));
    if (sp < PAGE_SIZE || !IS_ALIGNED(sp, sizeof(sp)))
        return NO_STACK;
    if (on_kernel_stack(sp) && !(sp & HAL_STACK_SIZE))
        sp = ALIGN_UP(sp, HAL_STACK_SIZE);
    if (f->vector == VEC_DF && !on_kernel_stack(sp))
        return NO_STACK;
    return search((const unsigned long *)sp, end_of_stack((const unsigned long *)sp));
}

/* Print at most 24 callers. In each turn `sp` is at a return address; a broken stack ends the loop. */
void arch_backtrace(const struct trap_frame *f)
{
    const unsigned long *sp = f ? stack_at(f) : (const unsigned long *)__builtin_frame_address(0) + 1,
                        *end = end_of_stack(sp);
    for (unsigned depth = 0; depth < 24 && sp < end && in_text(*sp); depth++) {
        unsigned long at = *sp++;
        if (at == (unsigned long)trap_return) { /* an interrupt's frame is above */
            sp = stack_at((const struct trap_frame *)sp);
            end = end_of_stack(sp);
            continue;
        }
        print_place(--at);
        u32 key = (u32)(at - (unsigned long)image_start) << 8 | 255;
        u8 words = symtab_calls ? (u8)symtab_call[find_last(symtab_call, symtab_calls, key)] : UNKNOWN;
        if (words == NO_CALLER)
            break;
        sp = words == UNKNOWN ? search(sp, end) : sp + words;
    }
}
