/* SPDX-License-Identifier: MIT */
/*
 * backtrace.c - addresses to names, and who called whom (frame pointers).
 *
 * The table of symbols is made from the first link (tools/amalgam/symtab.py) and
 * linked in by the second: an array of offsets from IMAGE_BASE in ascending order,
 * an array of positions in the name area, the names.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

extern const u32 symtab_count;
extern const u32 symtab_offset[];
extern const u32 symtab_name[];
extern const char symtab_names[];
extern const char image_start[], text_end[];

static bool in_text(u64 a) { return a >= (u64)image_start && a < (u64)text_end; }

/* Name of the function that holds `addr` and the distance into it; NULL outside the text. */
static const char *symbol(u64 addr, u64 *offset)
{
    if (!in_text(addr) || symtab_count == 0)
        return NULL;
    u32 key = (u32)(addr - IMAGE_BASE), lo = 0, hi = symtab_count;
    while (hi - lo > 1) {
        u32 mid = (lo + hi) / 2;
        if (symtab_offset[mid] <= key)
            lo = mid;
        else
            hi = mid;
    }
    *offset = key - symtab_offset[lo];
    return symtab_names + symtab_name[lo];
}

static void print_place(u64 addr)
{
    u64 off = 0;
    const char *name = symbol(addr, &off);
    if (name)
        printk("  %lx %s+0x%lx\n", addr, name, off);
    else
        printk("  %lx\n", addr);
}

/* Frames are followed only upwards, within one stack, at most 24 deep: a broken chain ends it. */
void arch_backtrace(const struct trap_frame *f)
{
    u64 rbp = f ? f->rbp : (u64)__builtin_frame_address(0);
    if (f)
        print_place(f->rip);
    if (f && rbp - f->rsp > HAL_STACK_SIZE) /* not a frame pointer of this stack: do not touch it */
        return;
    for (unsigned depth = 0; depth < 24 && rbp >= LINEAR_BASE && IS_ALIGNED(rbp, 8); depth++) {
        const u64 *frame = (const u64 *)rbp;
        if (!in_text(frame[1]))
            break;
        print_place(frame[1] - 1);
        if (frame[0] <= rbp || frame[0] - rbp > HAL_STACK_SIZE)
            break;
        rbp = frame[0];
    }
}
