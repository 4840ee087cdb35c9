/* SPDX-License-Identifier: MIT */
/*
 * calls.c - a compute cluster makes every call of the firmware with right and wrong arguments, and prints a line "WHAT:
 * ERROR VALUE" for each. Then it asks for a reset, which restarts it and no other cluster. After that it asks for a
 * shutdown, which stops all its harts. The I/O cluster checks that none of them writes any more, and powers the board
 * off.
 */
#include "guest.h"

static volatile u32 phase;
static volatile ulong counted;

static void report(const char *what, struct sbi result) { say("%s: %ld %lu\n", what, result.error, result.value); }
static void call(const char *what, ulong extension, ulong function, ulong a0, ulong a1, ulong a2)
{
    report(what, sbi_call(extension, function, a0, a1, a2, 0));
}

static ulong now(void) { return csr_read(time); }

/* Sleep by the supervisor timer, whose interrupt only ends the WFI. */
static void sleep_us(ulong us)
{
    ulong end = now() + us * 10;
    csr_set(sie, 32);
    sbi_call(SBI_TIME, 0, end, 0, 0, 0);
    while ((long)(now() - end) < 0)
        wfi();
    sbi_call(SBI_TIME, 0, ~0ul, ~0ul, 0, 0);
    csr_clear(sie, 32);
}

void guest_hart(ulong hart)
{
    if (phase == 1) { /* stop this hart at once by the call */
        phase = 2;
        ring(board.master);
        sbi_call(SBI_HSM, 1, 0, 0, 0, 0);
    }
    for (;;) { /* count in the outbox, sleeping in between */
        counted++;
        *outbox(board.number) = (u32)counted;
        sleep_us(20 + (hart & 1));
    }
}

static void console(void)
{
    static const char text[] = "three words here\n";
    ulong end = board.memory + board.memory_size, other = board.around[0].master;
    char typed[8];
    (void)other;
    call("write own", SBI_DBCN, 0, sizeof(text) - 1, (ulong)text, 0);
    call("write nothing", SBI_DBCN, 0, 0, board.memory, 0);
    call("write over the end", SBI_DBCN, 0, 2, end - 1, 0);
    call("write before the begin", SBI_DBCN, 0, 2, board.memory - 1, 0);
    call("write wrapping", SBI_DBCN, 0, ~0ul, board.memory + 1, 0);
    call("write firmware", SBI_DBCN, 0, 16, 0x80000000, 0);
    call("write NoC", SBI_DBCN, 0, 16, board.noc, 0);
    call("write high", SBI_DBCN, 0, 1, board.memory, 1);
    call("read nothing typed", SBI_DBCN, 1, sizeof(typed), (ulong)typed, 0);
    call("read into foreign", SBI_DBCN, 1, 16, end, 0);
    call("read into firmware", SBI_DBCN, 1, 16, 0x80000000, 0);
    call("write byte", SBI_DBCN, 2, '\n', 0, 0);
    call("console function 3", SBI_DBCN, 3, 0, 0, 0);
    say("legacy putchar: %ld\n", sbi_call(1, 0, '\n', 0, 0, 0).error);
    say("legacy getchar: %ld\n", sbi_call(2, 0, 0, 0, 0, 0).error);
}

static void harts(void)
{
    ulong me = board.master, slave = own_hart(1), foreign = board.around[0].master;
    phase = 1;
    call("status own", SBI_HSM, 2, me, 0, 0);
    call("status stopped", SBI_HSM, 2, slave, 0, 0);
    call("status foreign", SBI_HSM, 2, foreign, 0, 0);
    call("status foreign slave", SBI_HSM, 2, slave - 1, 0, 0); /* the last hart of the I/O cluster */
    call("status none", SBI_HSM, 2, ~0ul, 0, 0);
    call("start foreign", SBI_HSM, 0, foreign, (ulong)guest_hart, 0);
    call("start behind the last", SBI_HSM, 0, own_hart(board.n_harts), (ulong)guest_hart, 0);
    call("start in foreign slice", SBI_HSM, 0, slave, board.memory + board.memory_size, 0);
    call("start in firmware", SBI_HSM, 0, slave, 0x80000000, 0);
    call("start in NoC", SBI_HSM, 0, slave, board.noc, 0);
    call("start odd", SBI_HSM, 0, slave, (ulong)guest_hart + 1, 0);
    call("start self", SBI_HSM, 0, me, (ulong)guest_hart, 0);
    report("start", hart_start(slave));
    wait_until(phase == 2);
    while (sbi_call(SBI_HSM, 2, slave, 0, 0, 0).value != 1)
        sleep_us(10);
    call("status after stop", SBI_HSM, 2, slave, 0, 0);
    report("start again", hart_start(slave));
    call("start twice", SBI_HSM, 0, slave, (ulong)guest_hart, 0);
    call("suspend platform", SBI_HSM, 3, 0x80000000, 0, 0);
    call("suspend reserved", SBI_HSM, 3, 1, 0, 0);
    csr_set(sie, 32);
    sbi_call(SBI_TIME, 0, now() + 500, 0, 0, 0);
    call("suspend", SBI_HSM, 3, 0, 0, 0);
    csr_clear(sie, 32);
    call("hart function 4", SBI_HSM, 4, 0, 0, 0);
}

static void others(void)
{
    ulong me = board.master, foreign = board.around[0].master;
    call("version", SBI_BASE, 0, 0, 0, 0);
    call("implementation", SBI_BASE, 1, 0, 0, 0);
    call("probe console", SBI_BASE, 3, SBI_DBCN, 0, 0);
    call("probe fence", SBI_BASE, 3, 0x52464e43, 0, 0);
    call("base function 7", SBI_BASE, 7, 0, 0, 0);
    call("no extension", 0x12345678, 0, 0, 0, 0);
    csr_clear(sip, 2);
    call("ring foreign", SBI_IPI, 0, 1, foreign, 0);
    call("ring own and foreign", SBI_IPI, 0, 3, me - 1, 0);
    say("rung: %lu\n", csr_read(sip) & 2);
    call("ring own", SBI_IPI, 0, 1, me, 0);
    say("rung: %lu\n", csr_read(sip) & 2);
    csr_clear(sip, 2);
    call("ring all", SBI_IPI, 0, 0, ~0ul, 0);
    say("rung: %lu\n", csr_read(sip) & 2);
    call("timer function 1", SBI_TIME, 1, 0, 0, 0);
    call("reset type 3", SBI_SRST, 0, 3, 0, 0);
    call("reset reason 2", SBI_SRST, 0, 0, 2, 0);
    call("reset function 1", SBI_SRST, 1, 0, 0, 0);
}

static void compute(ulong hart, ulong start_number)
{
    (void)hart;
    if (start_number == 0) {
        others();
        console();
        harts();
        say("outbox in life 0: %u\n", *outbox(board.number) != 0);
        say("asks for a restart\n");
        sbi_call(SBI_SRST, 0, 1, 0, 0, 0);
    }
    say("life %lu, outbox %u\n", start_number, *outbox(board.number));
    for (u32 i = 1; i < board.n_harts; i++)
        report("start in life 1", hart_start(own_hart(i)));
    sleep_us(200);
    say("asks for a shutdown, outbox moved: %s\n", *outbox(board.number) ? "yes" : "no");
    sbi_call(SBI_SRST, 0, 0, 0, 0, 0);
    say("is still there\n");
}

void guest_main(ulong hart, ulong start_number)
{
    u32 before = 0, same = 0;
    if (board.number)
        compute(hart, start_number);
    while (same < 20) { /* 20 ms without a change */
        sleep_us(1000);
        same = *outbox(1) == before && before ? same + 1 : 0;
        before = *outbox(1);
    }
    say("the neighbour stands still\n");
    power_off(is_argument("end", "failed"));
}
