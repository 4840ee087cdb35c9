/* SPDX-License-Identifier: MIT */
/* precision.c (32 bits) - the x87's registers have 64 bits of precision; with its control word at 53 a sum is what any
 * other machine's is (Pentium manual vol. 3, 6.2.1.2). */
#include <hal/context.h>

#define CONTROL_DOUBLE 0x27f /* all exceptions masked, 53 bits, round to nearest */

void fpu_round_double(void)
{
    u16 control = CONTROL_DOUBLE;
    __asm__ volatile("fldcw %0" ::"m"(control));
}
