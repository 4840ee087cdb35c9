/* SPDX-License-Identifier: MIT */
/* regpage.h - the words of the register page (arch/vm.h), as displacements for loads and stores without a base
 * register. */
#ifndef REGPAGE_H
#define REGPAGE_H

#define REGPAGE_SRR0      (-0x1000 + 0x00)
#define REGPAGE_SRR1      (-0x1000 + 0x04)
#define REGPAGE_MSR       (-0x1000 + 0x44)
#define REGPAGE_ATTENTION (-0x1000 + 0x4c)
#define REGPAGE_SCRATCH   (-0x1000 + 0x50)

#endif
