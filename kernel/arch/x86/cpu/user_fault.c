/* SPDX-License-Identifier: MIT */
/* user_fault.c - page faults of user_copy() and user_load() are the only exceptions of the kernel for a process's sake
 * that continue. */
#include <arch/trap.h>

extern const char user_copy_insn[], user_copy_failed[];                       /* user/copy.S of each width */
extern const char user_load_insn[] __optional, user_load_failed[] __optional; /* of 64 bits only */

bool trap_user_copy(struct trap_frame *f)
{
    if (f->vector != VEC_PF)
        return false;
    bool copies = trap_ip(f) == (unsigned long)user_copy_insn, loads = trap_ip(f) == (unsigned long)user_load_insn;
    if (copies || loads)
        trap_set_ip(f, (unsigned long)(copies ? user_copy_failed : user_load_failed));
    return copies || loads;
}
