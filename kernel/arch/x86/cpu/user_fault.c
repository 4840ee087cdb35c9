/* SPDX-License-Identifier: MIT */
/* user_fault.c - a page fault of user_copy() is the only exception of the kernel for a process's sake that
 * continues. */
#include <arch/trap.h>

extern const char user_copy_insn[], user_copy_failed[]; /* user/copy.S of each width */

bool trap_user_copy(struct trap_frame *f)
{
    if (f->vector != VEC_PF || trap_ip(f) != (unsigned long)user_copy_insn)
        return false;
    trap_set_ip(f, (unsigned long)user_copy_failed);
    return true;
}
