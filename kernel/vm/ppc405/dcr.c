/* SPDX-License-Identifier: MIT */
/* dcr.c - whose device control register it is: the virtual interrupt controller's, or one of a lent device. */
#include "dev.h"
#include <arch/regs.h>

u32 dcr_read(struct vm *vm, u32 dcr)
{
    u32 value = 0;
    if (dcr - DCR_UIC <= UIC_VCR)
        return vuic_read(vm, dcr - DCR_UIC);
    lent_dcr(vm, dcr, false, &value);
    return value;
}

void dcr_write(struct vm *vm, u32 dcr, u32 value)
{
    if (dcr - DCR_UIC <= UIC_VCR)
        vuic_write(vm, dcr - DCR_UIC, value);
    else
        lent_dcr(vm, dcr, true, &value);
}
