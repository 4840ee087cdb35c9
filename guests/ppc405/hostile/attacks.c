/* SPDX-License-Identifier: MIT */
/* attacks.c - see hostile.h. */
#include "hostile.h"

#define BRANCH_SELF 0x48000000u
#define SC          0x44000002u

static u32 *const code = (u32 *)CODE;

static void put(u32 i, u32 w) { code[i] = allowed(w) ? w : 0x60000000; }

/* The privileged extended opcodes of 31 and 19. */
static const u16 privileged31[] = { 83,  146, 131, 163, 323, 451, 946, 978, 914, 370, 566,
                                    454, 966, 998, 486, 470, 339, 467, 4,   595, 210, 306 };

static u32 operands(void) { return word() & 0x03fff800; }

void attack_privileged(struct frame *f)
{
    for (u32 i = 0; i < CODE_WORDS; i++)
        put(i, chance(8) ? 31u << 26 | operands() | privileged31[chance(ARRAY_SIZE(privileged31))] << 1 | chance(2)
                         : 19u << 26 | (50 + chance(2)) << 1);
    (void)f;
}

void attack_reserved(struct frame *f)
{
    static const u8 primary[] = { 0, 1, 2, 4, 5, 6, 9, 22, 30, 31, 19, 17, 56, 57, 58, 59, 60, 61, 62, 63 };
    for (u32 i = 0; i < CODE_WORDS; i++)
        put(i, (u32)primary[chance(ARRAY_SIZE(primary))] << 26 | (word() & 0x03ffffff));
    (void)f;
}

void attack_random(struct frame *f)
{
    for (u32 i = 0; i < CODE_WORDS; i++)
        put(i, word());
    (void)f;
}

/* Write a random entry, sometimes one that maps something, then use it. */
void attack_tlb(struct frame *f)
{
    u32 index = chance(64), hi = word(), lo = word();
    if (chance(2)) {
        hi = (hi & 0xff000000) | TLBHI_SIZE(1 + chance(7)) | TLBHI_V;
        lo = (chance(4) ? lo & 0x00ffff00 : lo) & ~0xfcu;
    }
    f->gpr[3] = hi & ~(chance(16) ? TLBHI_E : 0);
    f->gpr[4] = lo;
    f->gpr[5] = chance(4) ? index : word();
    f->gpr[6] = hi & 0xfffff000;
    f->gpr[7] = chance(4) ? MSR_DR | (chance(2) ? MSR_IR : 0) | (chance(2) ? MSR_PR : 0) : word() & 0x30;
    code[0] = 0x7c8507a4 | 1 << 11;                /* tlbwe r4, r5, 1 */
    code[1] = 0x7c6507a4;                          /* tlbwe r3, r5, 0 */
    code[2] = chance(4) ? 0x60000000 : 0x7cb1eba6; /* mtspr PID, r5 */
    code[3] = chance(4) ? 0x60000000 : 0x7cb0eba6; /* mtspr ZPR, r5 */
    code[4] = 0x7ce00124;                          /* mtmsr r7 */
    code[5] = chance(2) ? 0x81060000 : 0x7d003728; /* lwz r8, 0(r6) or tlbsx r8, 0, r6 */
    code[6] = chance(2) ? 0x80e6fffc : 0x90c40000; /* lwz r7, -4(r6) or stw r6, 0(r4) */
    code[7] = chance(2) ? 0x7c0002e4 : SC;         /* tlbia */
}

void attack_registers(struct frame *f)
{
    static const u16 xo[] = { 339, 467, 323, 451, 371 };
    for (u32 i = 0; i < CODE_WORDS; i++)
        put(i, 31u << 26 | operands() | (u32)xo[chance(ARRAY_SIZE(xo))] << 1);
    (void)f;
}

/* sc in privileged mode, with numbers near those that exist and pointers near the end of memory. */
void attack_hypercall(struct frame *f)
{
    static const u32 edge[] = { 0,          1,           0xffffffff,      0x7fffffff,
                                0x80000000, MEMORY_SIZE, MEMORY_SIZE - 1, MEMORY_SIZE - 15,
                                0xfffffff0 };
    f->msr &= ~MSR_PR;
    for (u32 r = 3; r < 6; r++)
        f->gpr[r] = chance(2) ? edge[chance(ARRAY_SIZE(edge))] : chance(2) ? chance(64) : word();
    /* Not the calls by which a guest stops itself or changes its own machine state. */
    u32 number = chance(4) ? 11 + chance(32) : word();
    f->gpr[11] = number;
    code[0] = SC;
    code[1] = 0x7c832378; /* mr r3, r4 */
    code[2] = chance(2) ? SC : 0x60000000;
    for (u32 i = 3; i < CODE_WORDS; i++)
        code[i] = 0x00000000;
}

/* Write any word of the register page, most often MSR, then make an access, in any mode. */
void attack_page(struct frame *f)
{
    static const u32 use[] = { 0x80c50000, 0x90c50000, 0x98c50000, 0x7c000124, 0x7c1feba6, 0x4c000064, 0x00000000, SC };
    f->msr = chance(4) ? MSR_IR | MSR_DR : word() & (MSR_IR | MSR_DR);
    tlb_map(0, CODE, CODE, PAGE_4K, TLBLO_EX | TLBLO_WR, 0);
    tlb_map(1, f->gpr[5] & ~0xfffu, chance(2) ? UART0 & ~0xfffu : ATTACKED, PAGE_4K, TLBLO_WR, 0);
    for (u32 i = 0; i < CODE_WORDS; i++)
        code[i] = use[chance(ARRAY_SIZE(use))];
    f->gpr[3] =
        ((chance(4) ? MSR_IR | MSR_DR | MSR_PR : ~MSR_WE) & word()) | MSR_EE;  /* so that the PIT ends the step */
    code[0] = 0x90600000 | (0xf000 + 4 * (chance(2) ? 0x44 / 4 : chance(40))); /* stw r3, n(0) */
}

void attack_stores(struct frame *f)
{
    static const u32 store[] = {
        0x90830000, 0x98830000, 0xb0830000, 0x94830000, 0xbc830000, 0x7c001fec, 0x7c80192c | 1
    };
    for (u32 i = 0; i < CODE_WORDS; i++)
        code[i] = SC;
    u32 a = word();
    f->msr = chance(2) ? 0 : MSR_PR;
    if (a < MEMORY_SIZE) /* in the guest's own memory, which it needs */
        a = ATTACKED + (a & 0xfff0);
    f->gpr[3] = a;
    code[0] = chance(3) ? store[chance(ARRAY_SIZE(store))] : 0x80830000 | chance(8) << 26;
}

void attack_loop(struct frame *f)
{
    for (u32 i = 0; i < CODE_WORDS; i++)
        code[i] = BRANCH_SELF;
    f->msr |= MSR_EE;
    if (chance(2))
        f->msr |= MSR_PR;
}
