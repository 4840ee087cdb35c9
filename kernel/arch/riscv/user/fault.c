/* SPDX-License-Identifier: MIT */
/* fault.c - lets a faulting user_copy() return -EFAULT. No other fault of the kernel can be handled. */
#include <arch/trap.h>

extern const char user_copy_begin[], user_copy_end[], user_copy_failed[];

bool trap_fixed(struct trap_frame *f)
{
    if (f->x[0] < (unsigned long)user_copy_begin || f->x[0] >= (unsigned long)user_copy_end)
        return false;
    f->x[0] = (unsigned long)user_copy_failed;
    return true;
}
