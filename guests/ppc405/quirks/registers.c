/* SPDX-License-Identifier: MIT */
/* registers.c - registers and addresses that behave differently from the chip's. */
#include "quirks.h"

#define MFSPR_R3(n) (0x7c6002a6u | ((n)&31) << 16 | (n) >> 5 << 11)
#define MTSPR_R3(n) (0x7c6003a6u | ((n)&31) << 16 | (n) >> 5 << 11)

/* By the manual SRR2 and SRR3 are privileged. */
static void srr23(void)
{
    bool reads =
        one(MFSPR_R3(SPR_SRR2), MSR_PR, 0).vector == VEC_SC && one(MFSPR_R3(SPR_SRR3), MSR_PR, 0).vector == VEC_SC;
    bool writes =
        one(MTSPR_R3(SPR_SRR2), MSR_PR, 0x1230).vector == VEC_SC && one(MTSPR_R3(SPR_SRR3), MSR_PR, 0).vector == VEC_SC;
    quirk("srr23", reads && writes && mfspr(SPR_SRR2) == 0x1230);
}

/* By the manual USPRG0 is a separate register that every state may write. */
static void usprg0(void)
{
    mtspr(SPR_SPRG0, 0x5050);
    quirk("usprg0", one(MTSPR_R3(SPR_USPRG0), 0, 1).vector == VEC_PROGRAM &&
                        one(MFSPR_R3(SPR_USPRG0), MSR_PR, 0).gpr[3] == 0x5050);
}

/* By the manual an access to a register that does not exist is an illegal instruction, also in supervisor state. */
static void no_register(void) { quirk("no-register", one(MFSPR_R3(1000), 0, 7).vector == VEC_SC); }

/* By the manual an access to an address without a device is a machine check or a bus error. */
static void no_memory(void)
{
    struct frame f = one(0x80630000u /* lwz r3, 0(r3) */, 0, 0xe0000000u);
    quirk("no-memory", f.vector == VEC_SC && f.gpr[3] == 0);
}

/* The vector of a critical input if input 0 has the highest priority. */
static void uic_vector(void)
{
    uic_init();
    mtdcr(DCR_UIC + UIC_CR, 0x00100000);
    mtdcr(DCR_UIC + UIC_ER, 0x00100000);
    mtdcr(DCR_UIC + UIC_VCR, 0x00200001);
    mtdcr(DCR_UIC + 1, 0x00100000); /* SRS: set input 11 */
    quirk("uic-vector", mfdcr(DCR_UIC + UIC_MSR) == 0x00100000 && mfdcr(DCR_UIC + UIC_VR) != 0x00200000 + 11 * 512);
    uic_init();
}

/* By the manual an exception leaves the reservation as it is. */
static void reservation(void)
{
    one(0x7ca01828u /* lwarx r5, 0, r3 */, MSR_PR, PAGE_B + 16);
    struct frame f = one(0x7ca0192du /* stwcx. r5, 0, r3 */, MSR_PR, PAGE_B + 16);
    quirk("reservation", f.vector == VEC_SC && !(f.cr & 0x20000000));
}

void register_quirks(void)
{
    reservation();
    srr23();
    usprg0();
    no_register();
    no_memory();
    uic_vector();
}
