/* SPDX-License-Identifier: MIT */
/*
 * random.c - privileged instructions with random values in random registers. tests/differential knows the stream of
 * random numbers, and what an independent description of the processor makes of each trial.
 */
#include "instructions.h"

#define RS(r)       ((r) << 21)
#define SPR(n)      (((n)&31) << 16 | (n) >> 5 << 11)
#define MFMSR(r)    (0x7c0000a6 | RS(r))
#define MTMSR(r)    (0x7c000124 | RS(r))
#define WRTEE(r)    (0x7c000106 | RS(r))
#define WRTEEI(on)  (0x7c000146 | (on) << 15)
#define MFSPR(r, n) (0x7c0002a6 | RS(r) | SPR(n))
#define MTSPR(n, r) (0x7c0003a6 | RS(r) | SPR(n))
#define RFI         0x4c000064
#define NOP         0x60000000

/* What the MSR may become: neither another mode nor sleep. */
#define ALLOWED     (MSR_CE | MSR_EE | MSR_ME | MSR_DWE | MSR_DE)
#define TRANSLATED  (MSR_IR | MSR_DR)
#define XER_DEFINED 0xe000007f

/* Registers that keep what is written: the SPRGs, SRR0, SRR1, ESR, DEAR, EVPR. */
static const u16 keeps[] = { 272, 273, 274, 275, 276, 277, 278, 279, 26, 27, 980, 981, 982 };
enum kind { TO_MSR, TO_EE, EE_OFF, EE_ON, RETURN, FIRST_SPR, KINDS = FIRST_SPR + ARRAY_SIZE(keeps) };

static u32 seed = 405;

/* Choose the registers of a trial, and write its instructions. `to` is read, `from` gets the result. */
static void prepare(struct frame *f, enum kind kind, u32 to, u32 from, u32 save)
{
    u32 code[5] = { NOP, NOP, NOP, NOP, MFMSR(from) }, mode = f->msr;
    if (kind <= TO_EE || kind == RETURN)
        f->gpr[to] = (f->gpr[to] & ALLOWED) | mode;
    if (kind == TO_MSR)
        code[0] = MTMSR(to);
    else if (kind == TO_EE)
        code[0] = WRTEE(to);
    else if (kind <= EE_ON)
        code[0] = WRTEEI(kind == EE_ON);
    else if (kind == RETURN) {
        f->gpr[save] = CODE + 16;
        code[0] = MTSPR(26u, save);
        code[1] = MTSPR(27u, to);
        code[2] = RFI;
    } else {
        u32 n = keeps[kind - FIRST_SPR];
        code[0] = MFSPR(save, n);
        code[1] = MTSPR(n, to);
        code[2] = MFSPR(from, n);
        code[3] = MTSPR(n, save);
        code[4] = NOP;
    }
    put_code(code, ARRAY_SIZE(code));
}

static void trial(enum kind kind)
{
    struct frame f, before;
    fresh_start();
    fresh_frame(&f, 0);
    for (u32 i = 0; i < 32; i++)
        f.gpr[i] = random_next(&seed);
    f.cr = random_next(&seed);
    f.xer = random_next(&seed) & XER_DEFINED;
    f.lr = random_next(&seed);
    f.ctr = random_next(&seed);
    u32 draw = random_next(&seed), to = draw & 31, from = draw >> 5 & 31, save = draw >> 10 & 31;
    while (save == from || save == to)
        save = (save + 1) & 31;
    f.msr = draw >> 15 & 1 ? TRANSLATED : 0;
    prepare(&f, kind, to, from, save);
    before = f;
    try(&f);
    print_end(&before, &f, "random", "trial");
    print("\n");
}

void test_random(void)
{
    for (u32 round = arg_number("rounds", 1); round; round--)
        for (u32 kind = 0; kind < KINDS; kind++)
            trial(kind);
}
