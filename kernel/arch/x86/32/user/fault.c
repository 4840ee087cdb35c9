/* SPDX-License-Identifier: MIT */
/* fault.c (32 bits) - a page fault of user_copy() is the only exception of the kernel for a process's sake that
 * continues. */
#include <arch/trap.h>

extern const char user_copy_insn[], user_copy_failed[];

bool trap_user_copy(struct trap_frame *f)
{
    if (f->vector != VEC_PF || f->eip != (u32)user_copy_insn)
        return false;
    f->eip = (u32)user_copy_failed;
    return true;
}
