/* SPDX-License-Identifier: MIT */
/* emulate_tables.c - the tables of emulate.S (emulate_hash.h). Two entries with one index do not compile. */
#include <arch/emulate_tables.h>

#define HASH(key, mul, shift, bits) ((((key) * (u32)(mul)) >> (shift)) & ((1u << (bits)) - 1))

#define OP(key, handler) [HASH(key, OP_MUL, OP_SHIFT, OP_BITS)] = { key, handler }
const struct emulate_entry emulate_table[1 << OP_BITS] = {
    OP(OP_RFI, emulate_rfi),     OP(OP_MFMSR, emulate_mfmsr),   OP(OP_MTMSR, emulate_mtmsr),
    OP(OP_WRTEE, emulate_wrtee), OP(OP_WRTEEI, emulate_wrteei), OP(OP_MFSPR, emulate_mfspr),
    OP(OP_MTSPR, emulate_mtspr),
};

/* Numbers of emulate.S's write handlers (mtspr_special). */
enum { SPRG4, SPRG5, SPRG6, SPRG7, EVPR, ZPR, PID, IN_C };

#define FIELD(n) (((n)&31) << 5 | (n) >> 5)
#define SLOT(n, member)                                                                                                \
    [HASH(FIELD(n), SPR_MUL, SPR_SHIFT, SPR_BITS)] = FIELD(n) << 11 | offsetof(struct regpage, member)
#define SPECIAL(n, member, how) SLOT(n, member) | SPR_ENTRY_SPECIAL | (how) << 24

const u32 spr_table[1 << SPR_BITS] = {
    SLOT(SPR_SRR0, srr0),
    SLOT(SPR_SRR1, srr1),
    SLOT(SPR_SPRG0, sprg[0]),
    SLOT(SPR_SPRG1, sprg[1]),
    SLOT(SPR_SPRG2, sprg[2]),
    SLOT(SPR_SPRG3, sprg[3]),
    SPECIAL(SPR_SPRG4, sprg[4], SPRG4),
    SPECIAL(SPR_SPRG5, sprg[5], SPRG5),
    SPECIAL(SPR_SPRG6, sprg[6], SPRG6),
    SPECIAL(SPR_SPRG7, sprg[7], SPRG7),
    SLOT(SPR_ESR, esr),
    SLOT(SPR_DEAR, dear),
    SPECIAL(SPR_EVPR, evpr, EVPR),
    SPECIAL(SPR_PID, pid, PID),
    SPECIAL(SPR_ZPR, zpr, ZPR),
    SLOT(SPR_SRR2, srr2),
    SLOT(SPR_SRR3, srr3),
    SLOT(SPR_CCR0, ccr0),
    SLOT(SPR_IAC3, plain[0]),
    SLOT(SPR_IAC4, plain[1]),
    SLOT(SPR_DVC1, plain[2]),
    SLOT(SPR_DVC2, plain[3]),
    SLOT(SPR_SGR, sgr),
    SLOT(SPR_DCWR, plain[4]),
    SLOT(SPR_SLER, plain[5]),
    SLOT(SPR_SU0R, plain[6]),
    SLOT(SPR_DBCR1, plain[7]),
    SPECIAL(SPR_ICDBDR, icdbdr, IN_C),
    SPECIAL(SPR_DBSR, dbsr, IN_C),
    SPECIAL(SPR_DBCR0, dbcr0, IN_C),
    SLOT(SPR_IAC1, plain[8]),
    SLOT(SPR_IAC2, plain[9]),
    SLOT(SPR_DAC1, plain[10]),
    SLOT(SPR_DAC2, plain[11]),
    SLOT(SPR_DCCR, plain[12]),
    SLOT(SPR_ICCR, plain[13]),
};

u32 *spr_slot(struct vm *vm, u32 spr)
{
    u32 entry = spr_table[HASH(FIELD(spr), SPR_MUL, SPR_SHIFT, SPR_BITS)];
    if ((entry ^ FIELD(spr) << 11) & 0x3ff << 11)
        return NULL;
    return (u32 *)((char *)regs_of(vm) + (entry & 0x3ff));
}
