/* SPDX-License-Identifier: MIT */
/* hypercall_table.c - hypercalls that stand for an instruction: the handler, and the instruction's word from the
 * interface's description. */
#include <arch/emulate_tables.h>
#include <partition/partition.h>
#include <generated/api_calls.h>

#define CALL(name, handler) [API_##name] = { API_INSN_##name, handler }

const struct emulate_entry hypercall_table[API_SERVICES] = {
    CALL(RFI, hypercall_rfi),         CALL(RFCI, hypercall_rfci),     CALL(MFMSR, hypercall_mfmsr),
    CALL(MTMSR, emulate_mtmsr),       CALL(WRTEE, emulate_wrtee),     CALL(MFEVPR, hypercall_mfevpr),
    CALL(MTEVPR, hypercall_mtevpr),   CALL(MFZPR, emulate_mfspr),     CALL(MTZPR, hypercall_mtzpr),
    CALL(MFPID, emulate_mfspr),       CALL(MTPID, emulate_mtspr),     CALL(MFSPR, hypercall_mfspr),
    CALL(MTSPR, hypercall_mtspr),     CALL(MFDCR, hypercall_mfdcr),   CALL(MTDCR, hypercall_dcr),
    CALL(TLBWEHI, emulate_slow),      CALL(TLBWELO, emulate_slow),    CALL(TLBREHI, emulate_slow),
    CALL(TLBRELO, emulate_slow),      CALL(TLBSX, emulate_slow),      CALL(TLBIA, hypercall_tlbia),
    CALL(TLBSYNC, hypercall_nothing), CALL(ICCCI, hypercall_nothing), CALL(DCCCI, hypercall_nothing),
    CALL(ICREAD, hypercall_nothing),  CALL(DCREAD, hypercall_dcread), CALL(TLB_LOAD, hypercall_tlb_load),
};
