/* SPDX-License-Identifier: MIT */
/*
 * checksum - the neighbour of a hostile guest. It fills its memory from a seed, then computes checksums of it for ever,
 * changing it as it goes. The sequence depends only on the seed: the line for round r is the same in every run, so a
 * write by anything else is found. Registers that a hypervisor must keep apart hold values of the seed as well. By
 * reading the time base it measures holes, which are the other guests' windows, and the stretches between them, its own
 * windows. seed=1 kib=512 report=8 rounds=0 (0: for ever)
 */
#include <guest.h>

#define AREA ((volatile u32 *)0x100000)
#define HOLE 66666u /* ticks (0.2 ms): longer than any exit, shorter than any window of another guest */

static struct {
    u32 holes, hole_max, own_max, began, last;
} windows;

static void look_at_time(void)
{
    u32 t = ticks(), away = t - windows.last;
    if (away > HOLE) {
        u32 own = windows.last - windows.began;
        windows.holes++;
        windows.hole_max = MAX(away, windows.hole_max);
        windows.own_max = MAX(own, windows.own_max);
        windows.began = t;
    }
    windows.last = t;
}

/* Write registers that each round checks: privileged ones, and those that a program can access without a trap. */
static void put_registers(u32 s)
{
    mtspr(SPR_SPRG0, s);
    mtspr(SPR_SPRG3, s * 3);
    mtspr(SPR_SPRG4, s * 4);
    mtspr(SPR_SPRG7, s * 7);
    mtspr(SPR_SRR2, s & ~3u);
    mtspr(SPR_DEAR, s * 11);
    mtspr(SPR_PID, s & 0xff);
    mtspr(SPR_ZPR, s * 13);
    mtspr(SPR_DAC1, s * 17);
}

static bool registers_kept(u32 s)
{
    return mfspr(SPR_SPRG0) == s && mfspr(SPR_SPRG3) == s * 3 && mfspr(SPR_SPRG4) == s * 4 && mfspr(263) == s * 7 &&
           mfspr(SPR_SRR2) == (s & ~3u) && mfspr(SPR_DEAR) == s * 11 && mfspr(SPR_PID) == (s & 0xff) &&
           mfspr(SPR_ZPR) == s * 13 && mfspr(SPR_DAC1) == s * 17;
}

void guest_main(void)
{
    u32 seed = arg_number("seed", 1), rounds = arg_number("rounds", 0), every = arg_number("report", 8);
    u32 words = arg_number("kib", 512) * 256, mark = seed * 0x9e3779b9;
    u32 state = seed ? seed : 1;
    for (u32 i = 0; i < words; i++)
        AREA[i] = random_next(&state);
    print("checksum: seed=%u kib=%u\n", seed, words / 256);
    put_registers(mark);
    windows.began = windows.last = ticks();
    u32 sum = seed;
    for (u32 r = 1; !rounds || r <= rounds; r++) {
        for (u32 i = 0; i < words; i++) {
            sum = (sum << 7 | sum >> 25) ^ AREA[i];
            AREA[i] = sum + i;
            look_at_time();
        }
        if (!registers_kept(mark))
            print("checksum: registers of somebody else in round %u\n", r);
        if (r % (every ? every : 1) == 0) {
            print("checksum: round=%u sum=%08x holes=%u longest=%u us own longest=%u us\n", r, sum, windows.holes,
                  windows.hole_max / 333, windows.own_max / 333);
            windows.holes = windows.hole_max = windows.own_max = 0;
        }
    }
    print("checksum: done sum=%08x\n", sum);
}
