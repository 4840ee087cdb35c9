/* SPDX-License-Identifier: MIT */
/* run.c - runs a few instructions with known registers and prints all that changed. */
#include "instructions.h"

const char *const mode_name[4] = { "real-priv", "real-prob", "tran-priv", "tran-prob" };
const u32 mode_msr[4] = { 0, MSR_PR, MSR_IR | MSR_DR, MSR_PR | MSR_IR | MSR_DR };

extern const struct test tests[], tests_end[];

/* The registers that are compared; test_timers() checks those that depend on time. */
/* clang-format off */
#define WATCHED(X) \
    X(SPR_SRR2) X(SPR_SRR3) \
    X(SPR_SPRG0) X(SPR_SPRG1) X(SPR_SPRG2) X(SPR_SPRG3) X(SPR_SPRG4) X(SPR_SPRG5) X(SPR_SPRG6) X(SPR_SPRG7) \
    X(SPR_ZPR) X(SPR_PID) X(SPR_CCR0) X(SPR_SGR) X(SPR_DCWR) X(SPR_SLER) X(SPR_SU0R) \
    X(SPR_EVPR) X(SPR_DCCR) X(SPR_ICCR) X(SPR_TCR)
/* clang-format on */

#define NUMBER(n) n,
#define READ(n)   *v++ = mfspr(n);
static const u16 watched[] = { WATCHED(NUMBER) };
static void read_watched(u32 *v) { WATCHED(READ) }

void fresh_start(void)
{
    mtspr(SPR_TCR, 0);
    mtspr(SPR_PIT, 0);
    mtspr(SPR_TSR, ~0u);
    mtspr(SPR_ZPR, 0x55555555);
    uic_init();
    tlb_flush();
    for (u32 i = 0; i < 64; i++)
        tlb_write(i, 0, 0, 0);
    tlb_map(0, 0, 0, 5, TLBLO_EX | TLBLO_WR, 0);
    mtspr(SPR_PID, 1); /* a change of PID makes QEMU apply the new ZPR */
    mtspr(SPR_PID, 0);
    mtspr(SPR_SRR2, 0);
    mtspr(SPR_SRR3, 0);
    mtspr(SPR_ESR, 0);
    mtspr(SPR_DEAR, 0);
    for (u32 i = 0; i < 64; i += 4)
        *(volatile u32 *)(SCRATCH + i) = 0x5c000000 + i;
}

void fresh_frame(struct frame *f, u32 msr)
{
    memset(f, 0, sizeof(*f));
    for (u32 i = 0; i < 32; i++)
        f->gpr[i] = 0xa0000000 + i * 0x00010101;
    f->gpr[6] = f->pc = CODE;
    f->msr = msr;
    f->cr = 0x12345678;
    f->lr = 0xa1000004;
    f->ctr = 0xa2000004;
    f->xer = 0x40000011;
}

void put_code(const u32 *words, u32 n)
{
    u32 *code = (u32 *)CODE;
    memcpy(code, words, n * 4);
    code[n] = 0x44000002;
    code_changed(code, n * 4 + 4);
}

void print_end(const struct frame *before, const struct frame *f, const char *mode, const char *name)
{
    print("T %s %s: vec=%04x pc=%08x msr=%08x in=%08x esr=%08x dear=%08x cr=%08x xer=%08x", mode, name, f->vector,
          f->pc, f->msr, f->inside, f->esr, f->dear, f->cr, f->xer);
    if (f->lr != before->lr || f->ctr != before->ctr)
        print(" lr=%08x ctr=%08x", f->lr, f->ctr);
    for (u32 i = 0; i < 32; i++)
        if (f->gpr[i] != before->gpr[i])
            print(" r%u=%08x", i, f->gpr[i]);
}

void run_and_print(struct frame *f, const char *mode, const char *name)
{
    struct frame before = *f;
    u32 was[ARRAY_SIZE(watched)], is[ARRAY_SIZE(watched)];
    read_watched(was);
    try(f);
    read_watched(is);
    print_end(&before, f, mode, name);
    for (u32 i = 0; i < ARRAY_SIZE(watched); i++)
        if (is[i] != was[i])
            print(" spr%u=%08x", watched[i], is[i]);
    print("\n");
}

void test_table(void)
{
    for (u32 mode = 0; mode < 4; mode++)
        for (const struct test *t = tests; t < tests_end; t++) {
            if (!(t->modes & 1u << mode))
                continue;
            struct frame f;
            fresh_start();
            fresh_frame(&f, mode_msr[mode]);
            f.gpr[3] = t->r3;
            f.gpr[4] = t->r4;
            f.gpr[5] = t->r5;
            put_code(t->code, ARRAY_SIZE(t->code));
            run_and_print(&f, mode_name[mode], t->name);
        }
}
