/* SPDX-License-Identifier: MIT */
/*
 * tlbflush.h - going to another address space, Linux says by ctx_id and tlb_gen which state of it the processor must
 * know at least: its own bookkeeping for PCIDs, which it keeps without them too. The hypervisor keeps shadows of
 * several spaces, and uses one with the same numbers as it is.
 */
#ifndef _AMALGAM_TLBFLUSH_H
#define _AMALGAM_TLBFLUSH_H
#include_next <asm/tlbflush.h>
#ifndef MODULE
static inline void amalgam_switch(unsigned long cr3)
{
    amalgam_load_cr3(cr3, (unsigned long)this_cpu_read(cpu_tlbstate.ctxs[0].ctx_id),
                     (unsigned long)this_cpu_read(cpu_tlbstate.ctxs[0].tlb_gen));
}
#define write_cr3 amalgam_switch
#endif
#endif
