/* SPDX-License-Identifier: MIT */
/* arch/emulate_tables.h - the tables of the assembly handlers. */
#ifndef AMALGAM_ARCH_EMULATE_TABLES_H
#define AMALGAM_ARCH_EMULATE_TABLES_H

#include <arch/emulate_hash.h>
#include <arch/regs.h>
#include <arch/vm.h>

struct emulate_entry {
    u32 key;
    void (*handler)(void); /* assembly code with its own convention (arch/entry.h): C must not call it */
};
extern const struct emulate_entry emulate_table[1 << OP_BITS];
extern const u32 spr_table[1 << SPR_BITS];

void emulate_rfi(void);
void emulate_mfmsr(void);
void emulate_mtmsr(void);
void emulate_wrtee(void);
void emulate_wrteei(void);
void emulate_mfspr(void);
void emulate_mtspr(void);

void emulate_slow(void);

/* syscall_hypercall.S */
void hypercall_mfmsr(void);
void hypercall_mfevpr(void);
void hypercall_mtevpr(void);
void hypercall_rfi(void);
void hypercall_tlb_load(void);
void hypercall_rfci(void);
void hypercall_mtzpr(void);
void hypercall_mfspr(void);
void hypercall_mtspr(void);
void hypercall_dcr(void);
void hypercall_mfdcr(void);
void hypercall_dcread(void);
void hypercall_tlbia(void);
void hypercall_nothing(void);

/* The word of the register page for a special purpose register that only stores a value; NULL if it does more. */
u32 *spr_slot(struct vm *vm, u32 spr);

#endif
