/* SPDX-License-Identifier: MIT */
/*
 * lives.c - the second cluster is killed and restarted as often as the system file says (`lives=` is the kills and
 * one). In each life it starts all its harts, which sleep, work and print; it counts its lives in its slice. The first
 * cluster waits for the last life, and meanwhile computes results that are known beforehand.
 */
#include "guest.h"

#define ENTRIES (4096 / sizeof(ulong))
#define LEAF    0xcf /* valid, readable, writable, executable, accessed, dirty */

static u32 arrived;
static u32 fresh[256] = { 1234 }; /* of the image: each life must find its first values, zeros, too */
static ulong root[ENTRIES] __attribute__((aligned(4096)));

static void sleep_us(ulong us) { sleep_until(csr_read(time) + us * 10); }

/* Leave state of this life in the registers of S-mode, an identity map and interrupts, which the next must not find. */
static void leave_traces(void)
{
#if __riscv_xlen == 64
    root[0] = LEAF;
    root[2] = 0x80000000ul >> 12 << 10 | LEAF;
    csr_write(satp, 8ul << 60 | (ulong)root >> 12);
#else
    root[0x2f00000 >> 22] = 0x2c00000ul >> 12 << 10 | LEAF;
    for (ulong i = 0; i < 256; i++)
        root[512 + i] = (0x80000000ul + (i << 22)) >> 12 << 10 | LEAF;
    csr_write(satp, 1ul << 31 | (ulong)root >> 12);
#endif
    __asm__ volatile("sfence.vma" ::: "memory");
    csr_set(sstatus, 1ul << 18); /* SUM */
    csr_write(scounteren, 7);
    fresh[0] = 0;
    fresh[128] = 1;
}

void guest_hart(ulong hart)
{
    leave_traces();
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    ring(board.master);
    for (u32 turn = 0;; turn++) {
        if ((turn + hart) % 4 == 0)
            sbi_call(SBI_DBCN, 2, '.', 0, 0, 0);
        for (volatile u32 i = 0; i < 100 + 10 * hart; i++)
            ;
        sleep_us(7 + hart);
    }
}

static u32 sum(u32 begin)
{
    for (u32 i = 0; i < 1000; i++)
        begin = begin * 1664525 + 1013904223;
    return begin;
}

void guest_main(ulong hart, ulong start_number)
{
    u32 lives = (u32)argument("lives", 1), rounds = 0, wrong = 0, known = sum(1);
    if (board.number) {
        const ulong found[] = { fresh[0] + fresh[128], csr_read(satp), csr_read(sstatus) & 1ul << 18,
                                csr_read(scounteren) };
        volatile u32 *kept = (volatile u32 *)(board.memory + board.memory_size / 2);
        kept[0] = start_number ? kept[0] + 1 : 1;
        for (u32 i = 1; i < board.n_harts; i++)
            hart_start(own_hart(i));
        wait_until(__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) + 1 == board.n_harts);
        say("\nlife %lu: %u counted, %u harts, outbox %u, found %u %lx %lx %lx\n", start_number, kept[0], arrived + 1,
            outbox(1)[0], (u32)found[0], found[1], found[2], found[3]);
        outbox(1)[0] = (u32)start_number + 1;
        guest_hart(hart);
    }
    while (outbox(1)[0] != lives) {
        wrong += sum(1) != known;
        rounds++;
        sleep_us(50);
    }
    say("%u rounds, %u wrong\n", rounds != 0, wrong);
    power_off(false);
}
