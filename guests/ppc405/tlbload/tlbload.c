/* SPDX-License-Identifier: MIT */
/*
 * tlbload - checks the hypercall tlb_load, which ends a TLB miss handler, with random words: the entry must be as after
 * two tlbwe, PID must be set after them, and every register must be that of the interrupted code. rounds=200 seed=1
 * damage=0 (1: writes another word than it expects, so that each round must fail)
 */
#include <guest.h>
#include <amalgam_calls.h>

#define PAGE    ((volatile u32 *)0xfffff000)
#define SCRATCH 20 /* index of scratch[0] in the register page */

/* Load SRR0 and SRR1, which try() itself uses, from scratch[5] and [6], then make the call. It returns to `landed`,
 * whose exception saves all registers. */
extern char call[], landed[];
__asm__(".text\n"
        ".globl call, landed\n"
        "call: lwz 11, -0x1000+0x64(0)\n"
        "      stw 11, -0x1000(0)\n"
        "      lwz 11, -0x1000+0x68(0)\n"
        "      stw 11, -0x1000+4(0)\n"
        "      li 11, 26\n"
        "      sc\n"
        "      .long 0\n"
        "landed: .long 0\n");
_Static_assert(AMALGAM_TLB_LOAD == 26, "the number above");

static u32 damage;

static bool right(u32 index, u32 hi, u32 lo, u32 tid, u32 pid, u32 *state)
{
    struct frame f = { .pc = (u32)call }, before;
    u32 got_hi, got_lo, r11 = random_next(state);
    for (u32 i = 0; i < 32; i++)
        f.gpr[i] = random_next(state);
    f.cr = random_next(state);
    f.lr = random_next(state);
    f.ctr = random_next(state);
    before = f;
    mtspr(SPR_PID, tid);
    PAGE[SCRATCH] = r11;
    PAGE[SCRATCH + 1] = index;
    PAGE[SCRATCH + 2] = hi;
    PAGE[SCRATCH + 3] = lo ^ damage;
    PAGE[SCRATCH + 4] = pid;
    PAGE[SCRATCH + 5] = (u32)landed;
    PAGE[SCRATCH + 6] = 0;
    try(&f);
    bool same =
        f.pc == (u32)landed && f.vector == VEC_PROGRAM && f.lr == before.lr && f.ctr == before.ctr && f.cr == before.cr;
    before.gpr[11] = r11;
    for (u32 i = 0; i < 32; i++)
        same &= f.gpr[i] == before.gpr[i];
    same &= mfspr(SPR_PID) == (pid & 0xff);
    __asm__ volatile("tlbre %0, %2, 1; tlbre %1, %2, 0" : "=&r"(got_lo), "=&r"(got_hi) : "r"(index & 63));
    return same && got_hi == (hi & ~0xfu) && got_lo == lo && mfspr(SPR_PID) == tid;
}

void guest_main(void)
{
    u32 state = arg_number("seed", 1) | 1, rounds = arg_number("rounds", 200), wrong = 0;
    damage = arg_number("damage", 0);
    for (u32 i = 0; i < rounds; i++) {
        u32 hi = random_next(&state) & ~TLBHI_E, lo = random_next(&state);
        wrong += !right(random_next(&state), hi, lo, random_next(&state) & 0xff, random_next(&state), &state);
    }
    tlb_flush();
    print("tlbload: %u of %u wrong\n", wrong, rounds);
}
