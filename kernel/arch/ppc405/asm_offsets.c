/* SPDX-License-Identifier: MIT */
/* asm_offsets.c - compiled to assembly, not linked: the Makefile turns its "->NAME value" lines into #defines. */
#include "mmu/mmu.h"
#include <arch/previrt.h>
#include <partition/partition.h>

#define DEFINE(name, value) __asm__ volatile("\n->" #name " %0" ::"i"(value))
#define REGS(member)        ((int)offsetof(struct vm_record, regs.member) - (int)offsetof(struct vm_record, vm))

void asm_offsets(void);
void asm_offsets(void)
{
    DEFINE(VM_GPR, offsetof(struct vm, ctx.gpr));
    DEFINE(VM_PC, offsetof(struct vm, ctx.pc));
    DEFINE(VM_CR, offsetof(struct vm, ctx.cr));
    DEFINE(VM_LR, offsetof(struct vm, ctx.lr));
    DEFINE(VM_CTR, offsetof(struct vm, ctx.ctr));
    DEFINE(VM_XER, offsetof(struct vm, ctx.xer));
    DEFINE(VM_PENDING, offsetof(struct vm, pending));
    DEFINE(VM_SPACE_PID, offsetof(struct vm, space_pid));
    DEFINE(SPACE_REAL, SPACE_REAL);
    DEFINE(SPACE_PID, SPACE_PID);
    DEFINE(VM_MODE_ZPR, offsetof(struct vm, mode_zpr));
    DEFINE(VM_ZONES, offsetof(struct vm, zones_shadowed));
    DEFINE(VM_PID_SLOW, offsetof(struct vm, pid_slow));
    DEFINE(VM_UIC, offsetof(struct vm, uic));
    DEFINE(VM_FLAGS, offsetof(struct vm, flags));
    DEFINE(VM_REGS, REGS(srr0));
    DEFINE(VM_ID, offsetof(struct vm, id));
    DEFINE(VM_UART, offsetof(struct vm, uart));
    DEFINE(VM_THRI, offsetof(struct vm, uart.thri));
    DEFINE(VM_FULL, offsetof(struct vm, uart.full));
    DEFINE(VM_RX_HEAD, offsetof(struct vm, uart.rx_head));
    DEFINE(VM_RX_TAIL, offsetof(struct vm, uart.rx_tail));
    DEFINE(VM_HANDLER, offsetof(struct vm, handler));
    DEFINE(VM_HANDLER_MSR, offsetof(struct vm, handler_msr));
    DEFINE(VM_STUBS, offsetof(struct vm, stubs));
    DEFINE(VM_TCR, offsetof(struct vm, timers.tcr));
    DEFINE(VM_TSR, offsetof(struct vm, timers.tsr));
    DEFINE(VM_PIT_START, offsetof(struct vm, timers.pit_start));
    DEFINE(VM_PIT_LENGTH, offsetof(struct vm, timers.pit_length));
    DEFINE(VM_PIT_RELOAD, offsetof(struct vm, timers.pit_reload));
    DEFINE(VMP_PIT, VMP_PIT);
    DEFINE(PREVIRT_AREA_SHIFT, __builtin_ctz(PREVIRT_AREA));
    DEFINE(PREVIRT_NOT, PREVIRT_NOT);
    DEFINE(PREVIRT_CALLS, PREVIRT_CALLS);
    DEFINE(CALL_RFI, CALL_RFI);
    DEFINE(CALL_MTPID, CALL_MTPID);
    DEFINE(CALL_TABLE, CALL_TABLE);
    DEFINE(CALL_TLBWE, CALL_TLBWE);
    DEFINE(CALL_TLBSX, CALL_TLBSX);
    DEFINE(CALL_TLBIA, CALL_TLBIA);
    DEFINE(TLB_SHADOWED, TLB_SHADOWED);
    DEFINE(TLB_ALL_PIDS, TLB_ALL_PIDS);
    DEFINE(VM_BASE, offsetof(struct vm, base));
    DEFINE(VM_SIZE, offsetof(struct vm, size));
    DEFINE(VM_TLB_HI, offsetof(struct vm, tlb_hi));
    DEFINE(VM_TLB_LO, offsetof(struct vm, tlb_lo));
    DEFINE(VM_CALLS, offsetof(struct vm, calls));
    DEFINE(VM_TABLE, offsetof(struct vm, table));
    DEFINE(VM_WHOLE, offsetof(struct vm, whole));
    DEFINE(VM_TLB_TID, offsetof(struct vm, tlb_tid));
    DEFINE(VM_TLB_SPACE, offsetof(struct vm, tlb_space));
    DEFINE(VM_TLB_NEXT, offsetof(struct vm, tlb_next));
    DEFINE(VM_TLB_LIST, offsetof(struct vm, tlb_list));
    DEFINE(TLB_SETS, TLB_SETS);
    DEFINE(TLB_SETS_SHIFT, __builtin_ctz(TLB_SETS));
    DEFINE(REG_DEAR, REGS(dear));
    DEFINE(REG_ATTENTION, REGS(attention));
    DEFINE(REG_SRR0, REGS(srr0));
    DEFINE(REG_SRR1, REGS(srr1));
    DEFINE(REG_SPRG4, REGS(sprg[4]));
    DEFINE(REG_ESR, REGS(esr));
    DEFINE(REG_EVPR, REGS(evpr));
    DEFINE(REG_PID, REGS(pid));
    DEFINE(REG_ZPR, REGS(zpr));
    DEFINE(REG_MSR, REGS(msr));
    DEFINE(REG_SCRATCH, REGS(scratch[0]));
    DEFINE(FLAG_HYPERCALLS, PT_HYPERCALLS);
    DEFINE(CORE_CURRENT, offsetof(struct partition_core, current));
    DEFINE(CORE_WINDOW_DUE, offsetof(struct partition_core, window_due));
}
