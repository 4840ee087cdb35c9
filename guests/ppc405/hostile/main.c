/* SPDX-License-Identifier: MIT */
/*
 * main.c - steps of the attacks, one after the other.
 *   seed=1 from=0 (skip so many steps, to reach a step quickly) report=100 only=BITS of the attacks (default: all)
 *   patience=1 (TCR[WP]: 0.4, 6, 100, 1600 ms for a period of the watchdog; use more if the host is busy)
 * It never ends. An attack may destroy the program itself, or loop with interrupts off. Then the guest's watchdog
 * resets it, its table restarts it, and it continues with another seed.
 */
#include "hostile.h"
#include <amalgam_calls.h>

u32 seed_state;
static u32 watchdog; /* periods without a finished step; the third one resets the guest */

u32 word(void) { return random_next(&seed_state); }
u32 chance(u32 below) { return word() % below; }

/*
 * Words that would end the test as specified:
 * - a reset written into DBCR0, and a watchdog that resets (TCR[WRC])
 * - words that end QEMU 7.2 in any mode, which the hypervisor cannot prevent: vrlqmi, vrlq, vrlqnm, xxspltw, xxspltib
 */
bool allowed(u32 w)
{
    u32 op = w >> 26, low = w & 0x7ff, spr = (w >> 16 & 31) | (w >> 11 & 31) << 5;
    if (op == 4 && (low == 0x005 || low == 0x045 || low == 0x145))
        return false;
    if (op == 60 && ((low & ~3u) == 0x290 || (low & ~1u) == 0x2d0))
        return false;
    if (op == 31 && (w >> 1 & 0x3ff) == 467 && (spr == SPR_DBCR0 || spr == SPR_TCR))
        return false;
    return true;
}

static void (*const attack[])(struct frame *) = { attack_privileged, attack_reserved,  attack_random,
                                                  attack_tlb,        attack_registers, attack_hypercall,
                                                  attack_stores,     attack_loop,      attack_page };

/* Restore the guest's own state, which the last step may have changed. */
static void put_state(void)
{
    mtmsr(0);
    mtspr(SPR_EVPR, 0x10000);
    mtspr(SPR_TSR, ~0u);
    mtspr(SPR_TCR, TCR_PIE | watchdog);
    mtspr(SPR_PIT, LOOP_TICKS);
    mtspr(SPR_SRR1, 0);
    mtdcr(DCR_UIC + UIC_ER, 0);
    store8(UART_IER, 0);
    store8(UART_LCR, 3);
    store8(UART_MCR, 3);
}

void guest_main(void)
{
    u32 life = (u32)amalgam_vm_info(255, AMALGAM_VM_INFO_RUNS), seed = arg_number("seed", 1);
    u32 from = arg_number("from", 0), every = arg_number("report", 100), only = arg_number("only", ~0u);
    watchdog = TCR_WRC | (arg_number("patience", 1) & 3) << 30;
    seed_state = (seed * 0x9e3779b9 ^ life * 0x85ebca6b) | 1;
    print("hostile: seed=%u life=%u\n", seed, life);
    for (u32 step = 0;; step++) {
        struct frame f = { 0 };
        u32 kind = chance(ARRAY_SIZE(attack));
        for (u32 i = 0; i < 32; i++)
            f.gpr[i] = chance(2) ? word() : ATTACKED + (word() & 0x7ff0);
        f.ctr = f.lr = CODE + 4 * chance(CODE_WORDS);
        f.pc = CODE;
        f.msr = chance(2) ? MSR_PR | MSR_EE : MSR_EE;
        attack[kind](&f);
        if (step < from || !(only >> kind & 1))
            continue;
        for (u32 i = CODE_WORDS; i < 2 * CODE_WORDS; i++)
            ((u32 *)CODE)[i] = 0x44000002;
        code_changed((u32 *)CODE, 8 * CODE_WORDS);
        put_state();
        try(&f);
        if (every && step % every == every - 1)
            print("hostile: life=%u step=%u\n", life, step + 1);
    }
}
