/* SPDX-License-Identifier: MIT */
/*
 * either.c - chooses the back end of a kernel that has both (kernel/twins.mk). All jumps lead to AMD-V's when it is
 * linked. Where the processor has VT-x they are written anew before anything goes through them: the boot core is alone,
 * and the others pass a CR3 load, which serializes them, before they run threads (SDM vol. 3, 9.1.3).
 */
#include <arch/cpu.h>
#include <bytes.h>
#include <core/init.h>
#include "core.h"

/* A jump's address, and where it leads to with VT-x. */
struct twin_jump {
    u32 at, to;
};
extern const struct twin_jump twin_jumps[], twin_jumps_end[];

#define JMP_LEN 5 /* an opcode, and a distance of 32 bits from its end */

/* Text is read-only from the beginning; its own core may write it while CR0.WP is clear. */
static __init_text void turn_jumps(void)
{
    unsigned long flags = irq_save(), cr0 = read_cr0();
    write_cr0(cr0 & ~CR0_WP);
    for (const struct twin_jump *j = twin_jumps; j < twin_jumps_end; j++)
        put32((u8 *)(unsigned long)j->at + 1, j->to - (j->at + JMP_LEN));
    write_cr0(cr0);
    irq_restore(flags);
}

static __init_text void choose_back_end(void)
{
    vmx_read_capability(&vmx_capability);
    if (vmx_capability.amdv && !vmx_capability.present)
        return;
    vmx_check();
    if (vmx_capability.present)
        turn_jumps();
}
INIT_CALL_FIRST(choose_back_end);
