/* SPDX-License-Identifier: MIT */
/* dcr.c - dispatches a device control register to the virtual interrupt controller or to a lent device. */
#include "dev.h"
#include <arch/regs.h>

__optional u32 lent_dcr(struct vm *vm, u32 dcr, bool write, u32 value) { return 0; } /* without CONFIG_DRIVER */

u32 dcr_read(struct vm *vm, u32 dcr)
{
    return dcr - DCR_UIC <= UIC_VCR ? vuic_read(vm, dcr - DCR_UIC) : lent_dcr(vm, dcr, false, 0);
}

void dcr_write(struct vm *vm, u32 dcr, u32 value)
{
    if (dcr - DCR_UIC <= UIC_VCR)
        vuic_write(vm, dcr - DCR_UIC, value);
    else
        lent_dcr(vm, dcr, true, value);
}
