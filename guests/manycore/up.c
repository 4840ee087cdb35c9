/* SPDX-License-Identifier: MIT */
/*
 * up.c - every cluster starts all its harts and notes that in its outbox. The first cluster prints when all harts of
 * the board are up, and after how many instructions: under icount the board's time counter counts instructions.
 */
#include "guest.h"

static u32 arrived;

void guest_hart(ulong hart)
{
    (void)hart;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    ring(board.master);
    for (;;) {
        csr_clear(sip, 2);
        wfi();
    }
}

static u32 harts_up(void)
{
    u32 sum = 0;
    for (u32 c = 0; c < board.count; c++) {
        if (!*outbox(c))
            return 0;
        sum += *outbox(c);
    }
    return sum;
}

void guest_main(ulong hart, ulong start_number)
{
    u32 sum;
    if (start_number || hart != board.master)
        say("start %lu of hart %lu is not the first one of the master\n", start_number, hart);
    for (u32 i = 1; i < board.n_harts; i++) {
        struct sbi started = hart_start(own_hart(i));
        if (started.error)
            say("hart %lu does not start: %ld\n", own_hart(i), started.error);
    }
    wait_until(__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) + 1 == board.n_harts);
    *outbox(board.number) = board.n_harts;
    ring(board.around[0].master);
    if (board.number)
        for (;;) {
            csr_clear(sip, 2);
            wfi();
        }
    wait_until((sum = harts_up()));
    ulong count = csr_read(instret);
    say("up: %u clusters, %u harts, %lu instructions\n", board.count, sum, count);
    power_off(false);
}
