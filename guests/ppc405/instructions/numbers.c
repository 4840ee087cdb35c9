/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - tries each SPR number, DCR number and opcode in problem mode, where the only effects are an exception or
 * a change of general registers and of a page. Consecutive numbers with the same outcome share a line.
 */
#include "instructions.h"

static u32 outcome_hash(const struct frame *f)
{
    u32 h = 2166136261u;
    const u32 *words = f->gpr;
    for (u32 i = 0; i < 32; i++)
        h = (h ^ words[i]) * 16777619u;
    h = (h ^ f->cr ^ f->xer) * 16777619u;
    for (u32 i = 0; i < 32; i++)
        h = (h ^ ((volatile u32 *)SCRATCH)[i]) * 16777619u;
    return h;
}

/*
 * Run `n` instructions, the i-th being make(i), and print the ranges of equal outcome. The changed registers are
 * printed as a hash. If the outcome of a word depends on time, make() returns 0, an illegal instruction, in its place.
 */
static void scan(const char *name, u32 n, u32 (*make)(u32 i))
{
    u32 first = 0, last_key[3] = { 0 };
    for (u32 i = 0; i <= n; i++) {
        u32 key[3] = { 0 };
        if (i < n) {
            struct frame f;
            u32 word = make(i);
            for (u32 k = 0; k < 128; k += 4)
                *(volatile u32 *)(SCRATCH + k) = 0x5c000000 + k;
            fresh_frame(&f, MSR_PR);
            f.gpr[3] = f.gpr[4] = SCRATCH;
            f.gpr[5] = 0x20;
            f.lr = f.ctr = CODE + 4;
            mtspr(SPR_ESR, 0);
            put_code(&word, 1);
            try(&f);
            key[0] = f.vector;
            key[1] = f.esr;
            key[2] = outcome_hash(&f);
        }
        if (i && (i == n || memcmp(key, last_key, sizeof(key)))) {
            print("T scan %s %u-%u: vec=%04x esr=%08x state=%08x\n", name, first, i - 1, last_key[0], last_key[1],
                  last_key[2]);
            first = i;
        }
        memcpy(last_key, key, sizeof(key));
    }
}

static u32 split(u32 n) { return (n & 31) << 16 | n >> 5 << 11; }
static bool is_time(u32 spr) { return (spr >= 268 && spr <= 269) || spr == 284 || spr == 285; }

static u32 make_mfspr(u32 n) { return is_time(n) ? 0 : 0x7ca002a6 | split(n); }
static u32 make_mtspr(u32 n) { return 0x7ca003a6 | split(n); }
static u32 make_mfdcr(u32 n) { return 0x7ca00286 | split(n); }
static u32 make_mtdcr(u32 n) { return 0x7ca00386 | split(n); }
static u32 make_mftb(u32 n) { return is_time(n) ? 0 : 0x7ca002e6 | split(n); }
/* Opcode 31 with r5, r3, r4. The results of mftb depend on time; mfspr and mtspr have scans of their own. */
static u32 make_31(u32 n)
{
    return n == 371 || n == 339 || n == 467 ? 0 : 0x7c000000 | 5 << 21 | 3 << 16 | 5 << 11 | n << 1;
}
static u32 make_31_record(u32 n) { return n == 371 || n == 339 || n == 467 ? 0 : make_31(n) | 1; }
static u32 make_19(u32 n) { return 0x4c000000 | n << 1; }
/* vrlqmi, vrlq, vrlqnm end QEMU 7.2 in any mode ("exception without defined vector 73"). */
static u32 make_4(u32 n)
{
    return n == 0x005 || n == 0x045 || n == 0x145 ? 0 : 0x10000000 | 5 << 21 | 3 << 16 | 5 << 11 | n;
}
/* Primary opcodes with r5, 0x40(r3), without the branches. */
static u32 make_primary(u32 n) { return n == 16 || n == 18 ? 0 : n << 26 | 5 << 21 | 3 << 16 | 0x40; }

void test_numbers(void)
{
    scan("mfspr", 1024, make_mfspr);
    scan("mtspr", 1024, make_mtspr);
    scan("mftb", 1024, make_mftb);
    scan("mfdcr", 1024, make_mfdcr);
    scan("mtdcr", 1024, make_mtdcr);
    scan("31", 1024, make_31);
    scan("31.", 1024, make_31_record);
    scan("19", 1024, make_19);
    scan("4", 2048, make_4);
    scan("primary", 64, make_primary);
}
