/* SPDX-License-Identifier: MIT */
/*
 * hostile.c - all harts of the second cluster make random calls with arguments of every class (`calls=`, from `seed=`)
 * and ring random harts. Some calls restart the whole cluster, which then continues. The other clusters compute
 * checksums that are known beforehand. When the calls are made the first cluster prints the result and powers off.
 *
 * No hart is started at an address without a program: it would trap without end, and the emulator would run only that
 * hart until a timer is due.
 */
#include "guest.h"

#define WORDS 2048

/* State that survives a restart: the firmware does not write to the slice's memory behind the image. */
struct kept {
    u32 calls, refused, lives, harts; /* harts: a bit for each hart that has made a call */
    u64 random[MOST_HARTS];
};
static struct kept *kept(void) { return (struct kept *)(board.memory + board.memory_size / 2); }
static u32 draw(u64 *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(*state >> 33);
}

/* Returns an argument of a random class: an address on either side of a boundary, a hart of any cluster, a small or
 * huge number. */
static ulong value(u64 *random)
{
    ulong end = board.memory + board.memory_size, pick = draw(random);
    const ulong classes[] = { 0,
                              1,
                              pick % 64,
                              pick % 600,
                              pick,
                              ~0ul,
                              ~0ul << (pick % 32),
                              board.memory + pick % board.memory_size,
                              end - pick % 16,
                              end + pick % 4096,
                              board.memory - pick % 16,
                              board.noc + pick % board.noc_size,
                              0x80000000 + pick % 0x200000,
                              0x80200000 + pick % 4096,
                              0x02000000 + pick % 0xc000,
                              0x10000000,
                              own_hart(pick % board.n_harts) };
    return classes[draw(random) % (sizeof(classes) / sizeof(classes[0]))];
}

static bool is_inside(ulong address) { return address >= board.memory && address - board.memory < board.memory_size; }

/* Make one call; `may_end`: also one that ends this hart. */
static void random_call(u64 *random, bool may_end)
{
    static const ulong extensions[] = { SBI_BASE, SBI_TIME, SBI_IPI, SBI_HSM, SBI_SRST, SBI_DBCN, SBI_DBCN, 0, 1, 2 };
    ulong a[4], extension = extensions[draw(random) % (sizeof(extensions) / sizeof(extensions[0]))];
    ulong function = draw(random) % 8 ? draw(random) % 4 : value(random);
    for (unsigned i = 0; i < 4; i++)
        a[i] = value(random);
    if (extension == SBI_HSM && function == 0 && is_inside(a[1]))
        a[1] = 0x80000000;
    if (extension == SBI_HSM && function == 1 && !may_end)
        function = 2;
    if (extension == SBI_SRST && (u32)a[0] == 0)
        a[0] = draw(random) % 4 ? 3 : 1;
    if (draw(random) % 1000 == 0)
        extension = SBI_SRST, function = 0, a[0] = 1, a[1] = 0;
    if (extension == SBI_DBCN && function == 1 && is_inside(a[1]) && a[1] - board.memory < board.memory_size / 2 + 4096)
        a[1] = board.memory + board.memory_size / 2 + 8192; /* typed text must not overwrite code */
    csr_set(sie, 34);
    csr_write(0x14d, csr_read(time) + 200); /* stimecmp: so that a suspended hart wakes up */
#if __riscv_xlen == 32
    csr_write(0x15d, 0);
#endif
    if (sbi_call(extension, function, a[0], a[1], a[2], a[3]).error < 0)
        __atomic_fetch_add(&kept()->refused, 1, __ATOMIC_RELAXED);
    touch(STORE, board.doorbells + 4 * (draw(random) % 512)); /* most are refused */
}

static void attack(ulong me)
{
    struct kept *k = kept();
    u32 calls = (u32)argument("calls", 1000);
    while (__atomic_fetch_add(&k->calls, 1, __ATOMIC_RELAXED) < calls) {
        __atomic_fetch_or(&k->harts, 1u << me, __ATOMIC_RELAXED);
        random_call(&k->random[me], me != 0);
        if (me == 0 && draw(&k->random[0]) % 4 == 0)
            hart_start(own_hart(1 + draw(&k->random[0]) % (board.n_harts - 1)));
    }
}

void guest_hart(ulong hart)
{
    if (board.number == 1)
        attack(own_number(hart));
    for (;;) {
        csr_clear(sip, 2);
        wfi();
    }
}

static void hostile(ulong start_number)
{
    struct kept *k = kept();
    if (!start_number) {
        k->calls = k->refused = k->lives = k->harts = 0;
        for (unsigned i = 0; i < MOST_HARTS; i++)
            k->random[i] = argument("seed", 1) * 1000 + i;
    }
    k->lives++;
    attack(0);
    outbox(1)[1] = k->refused;
    outbox(1)[2] = k->lives;
    outbox(1)[3] = k->harts;
    fence();
    outbox(1)[0] = 1;
    for (;;)
        wfi();
}

/* Returns the checksum of a round, which depends only on its number. */
static u32 checksum(u32 round, u32 *memory)
{
    u64 state = round;
    u32 sum = 0;
    for (unsigned i = 0; i < WORDS; i++)
        memory[i] = draw(&state);
    for (unsigned i = 0; i < WORDS; i++)
        sum = sum * 31 + memory[i];
    return sum;
}

static u32 work[WORDS];

void guest_main(ulong hart, ulong start_number)
{
    u32 rounds = 0, wrong = 0, expected[8];
    (void)hart;
    if (board.number == 1)
        hostile(start_number);
    for (u32 i = 0; i < 8; i++)
        expected[i] = checksum(i, work);
    while (board.number || !outbox(1)[0]) {
        wrong += checksum(rounds % 8, work) != expected[rounds % 8];
        rounds++;
        outbox(board.number)[0] = rounds;
        outbox(board.number)[1] = wrong + (u32)start_number;
        sleep_until(csr_read(time) + 1000);
    }
    for (u32 c = 0; c < board.count; c++)
        if (c != 1)
            say("neighbour %u: %u rounds, %u wrong\n", c, outbox(c)[0], outbox(c)[1]);
    say("hostile: %u refused, %u lives, harts %x\n", outbox(1)[1], outbox(1)[2], outbox(1)[3]);
    power_off(false);
}
