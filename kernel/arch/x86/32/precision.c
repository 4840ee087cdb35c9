/* SPDX-License-Identifier: MIT */
/* precision.c (32 bits) - sets the x87's precision to 53 bits, so that sums are as on other machines. Its registers
 * have 64 bits of precision (Pentium manual vol. 3, 6.2.1.2). */
#include <hal/context.h>

#define CONTROL_DOUBLE 0x27f /* all exceptions masked, 53 bits, round to nearest */

void fpu_round_double(void)
{
    u16 control = CONTROL_DOUBLE;
    __asm__ volatile("fldcw %0" ::"m"(control));
}
