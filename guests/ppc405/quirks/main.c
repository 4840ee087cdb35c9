/* SPDX-License-Identifier: MIT */
/* main.c - runs all checks; `fatal=1`, `fatal=2` and `fatal=3 word=INSTRUCTION` run those that end QEMU itself. */
#include "quirks.h"

#define SC  0x44000002u
#define LWZ 0x80640000u /* lwz r3, 0(r4) */
#define STW 0x90640000u

static u32 code[16] __attribute__((aligned(32)));

void quirk(const char *name, bool here) { print("quirk %s %s\n", name, here ? "here" : "gone"); }

static struct frame run(u32 instruction, u32 msr, u32 r3, u32 r4)
{
    struct frame f = { .pc = (u32)code, .msr = msr };
    f.gpr[3] = r3;
    f.gpr[4] = r4;
    code[0] = instruction;
    code[1] = SC;
    code_changed(code, sizeof code);
    try(&f);
    return f;
}

struct frame access(u32 ea, bool store) { return run(store ? STW : LWZ, MSR_IR | MSR_DR | MSR_PR, 0, ea); }
struct frame one(u32 instruction, u32 msr, u32 value) { return run(instruction, msr, value, 0); }

void guest_main(void)
{
    u32 fatal = arg_number("fatal", 0);

    *(u32 *)PAGE_A = WORD_A;
    *(u32 *)PAGE_B = WORD_B;
    tlb_flush();
    mtspr(SPR_ZPR, 0x55555555);
    mtspr(SPR_PID, 1);
    if (fatal) {
        print("quirk fatal %u\n", fatal);
        if (fatal == 3) {
            one(arg_number("word", 0x60000000), MSR_FP | MSR_PR, 0);
            quirk("no-vector", false);
            return;
        }
        tlb_write(1, EA | TLBHI_V | (fatal == 1 ? TLBHI_SIZE(0) : TLBHI_SIZE(PAGE_4K) | TLBHI_E), PAGE_A, 0);
        quirk(fatal == 1 ? "page-1k" : "page-little-endian", false);
        return;
    }
    tlb_map(0, 0, 0, PAGE_16M, TLBLO_EX | TLBLO_WR, 0);
    mmu_quirks();
    register_quirks();
    timer_quirks();
    print("quirks: done\n");
}
