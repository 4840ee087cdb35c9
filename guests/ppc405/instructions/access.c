/* SPDX-License-Identifier: MIT */
/* access.c - see access.h. */
#include "access.h"

#define LWZ_R5 0x80a30000 /* lwz r5, 0(r3) */
#define STW_R7 0x90e30000 /* stw r7, 0(r3) */

static void prepare(struct frame *f, u32 msr, u32 word, u32 address)
{
    mtspr(SPR_ESR, 0);
    mtspr(SPR_DEAR, 0);
    fresh_frame(f, msr);
    f->gpr[3] = address;
    put_code(&word, 1);
}

static const char *name_of(u32 msr) { return mode_name[(msr & MSR_PR ? 1 : 0) + (msr & (MSR_IR | MSR_DR) ? 2 : 0)]; }

void access_in(const char *name, u32 msr, enum access_kind kind, u32 address)
{
    struct frame f;
    prepare(&f, msr, kind == LOAD ? LWZ_R5 : STW_R7, address);
    run_and_print(&f, name_of(msr), name);
}

u32 load_in(u32 msr, u32 address)
{
    struct frame f;
    prepare(&f, msr, LWZ_R5, address);
    try(&f);
    return f.vector == VEC_SC ? f.gpr[5] : 0xdead0000 + f.vector;
}

void run_at(const char *name, u32 msr, u32 address)
{
    struct frame f;
    prepare(&f, msr, 0x44000002, 0);
    f.pc = address;
    run_and_print(&f, name_of(msr), name);
}
