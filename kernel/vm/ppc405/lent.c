/* SPDX-License-Identifier: MIT */
/*
 * lent.c - a device of the board that a guest drives itself (the paper's untrusted VMP modules): one page of registers,
 * a range of device control registers, interrupt inputs. The table lends each to one guest only, and that guest to the
 * core with the device.
 *
 * The page is mapped, so its use costs nothing. When an interrupt input is raised it is masked here and shown at the
 * same input of the guest's controller. It is unmasked when the guest has written SR or ER there. So a guest that
 * ignores it costs its neighbours one interrupt.
 */
#include "dev.h"
#include <arch/deliver.h>
#include <arch/mmu.h>
#include <board/irq.h>
#include <partition/pt.h>
#include <wcet.h>

#define MFDCR_R3 0x7c600286u
#define MTDCR_R3 0x7c600386u

void lent_reset(struct vm *vm)
{
    if (vm->conf->io_page)
        mmu_add_area(vm, vm->conf->io_page, 0x1000, vm->conf->io_page, TLBLO_WR | TLBLO_I | TLBLO_G);
}

/* Handles the inputs of one VM of this core: each core has a controller of its own, with the same inputs. Those of
 * others stay unmasked and interrupt again. */
void guest_irq(u32 raised)
{
    for (u32 id = 0; id < pt()->n_vms; id++) {
        LOOP_BOUND(PT_VMS);
        struct vm *vm = vm_of(id);
        u32 inputs = raised & vm->conf->irq_mask;
        if (inputs && (vm->conf->cores >> core.id & 1)) {
            irq_mask(inputs);
            vuic_lines(vm, inputs, true);
            partition_wake(vm);
            return;
        }
    }
    irq_mask(raised); /* lent to no VM */
}

void lent_irq_update(struct vm *vm)
{
    u32 mask = vm->conf->irq_mask;
    if (!mask)
        return;
    vuic_lines(vm, vm->uic.lines & mask, false);
    irq_choose(mask, vm->uic.reg[UIC_ER] & mask);
}

u32 lent_dcr(struct vm *vm, u32 dcr, bool write, u32 value)
{
    if (dcr - vm->conf->dcr_first >= vm->conf->dcr_count)
        return 0;
    lent_code[0] = (write ? MTDCR_R3 : MFDCR_R3) | (dcr & 31) << 16 | dcr >> 5 << 11;
    code_written(lent_code, sizeof(u32));
    return lent_call(value);
}
