/* SPDX-License-Identifier: MIT */
/* The guest's serial port, and the loads and stores that reach it. */
#include "fake_guest.h"
#include <arch/tlb_hw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { RBR, IER, IIR, LCR, MCR, LSR, MSR, SCR };

static void type(const char *s)
{
    while (*s)
        guest->uart.rx[guest->uart.rx_head++] = *s++;
    guest_input(guest);
}
static bool asks(void) { return guest->uic.lines & 0x80000000; }

static void what_is_written_is_out(void **state)
{
    uart_write(guest, RBR, 'x');
    assert_int_equal(fake.n_out, 1);
    assert_int_equal(fake.out[0], 'x');
    assert_int_equal(uart_read(guest, LSR), 0x60);
}

static void an_empty_transmitter_asks_until_it_is_told(void **state)
{
    uart_write(guest, IER, 2);
    assert_true(asks());
    assert_int_equal(uart_read(guest, IIR), 2);
    assert_false(asks());
    assert_int_equal(uart_read(guest, IIR), 1);
    uart_write(guest, RBR, 'x');
    assert_true(asks());
    uart_write(guest, IER, 0);
    assert_false(asks());
    uart_write(guest, IER, 2); /* how drivers test for ports that get this wrong */
    assert_true(asks());
}

static void received_bytes_come_first_and_in_order(void **state)
{
    uart_write(guest, IER, 3);
    type("ab");
    assert_int_equal(uart_read(guest, IIR), 4);
    assert_int_equal(uart_read(guest, LSR), 0x61);
    assert_int_equal(uart_read(guest, RBR), 'a');
    assert_true(asks());
    assert_int_equal(uart_read(guest, RBR), 'b');
    assert_int_equal(uart_read(guest, LSR), 0x60);
    assert_int_equal(uart_read(guest, IIR), 2);
    assert_int_equal(uart_read(guest, RBR), 0);
    assert_false(asks());
}

static void a_driver_that_probes_finds_a_16550(void **state)
{
    uart_write(guest, IER, 0xff);
    assert_int_equal(uart_read(guest, IER), 15);
    uart_write(guest, SCR, 0xa5);
    assert_int_equal(uart_read(guest, SCR), 0xa5);
    uart_write(guest, IIR, 1);
    uart_write(guest, IER, 0);
    assert_int_equal(uart_read(guest, IIR), 0xc1);
    uart_write(guest, LCR, 0x83);
    uart_write(guest, RBR, 0x12);
    uart_write(guest, IER, 0x34);
    assert_int_equal(uart_read(guest, RBR), 0x12);
    assert_int_equal(uart_read(guest, IER), 0x34);
    uart_write(guest, LCR, 3);
    assert_int_equal(uart_read(guest, IER), 0);
    assert_int_equal(fake.n_out, 0);
    assert_int_equal(uart_read(guest, MSR), 0xb0);
    uart_write(guest, MCR, 0x1a); /* loop, RTS, OUT2 */
    assert_int_equal(uart_read(guest, MSR), 0x90);
    uart_write(guest, RBR, 'L');
    assert_int_equal(fake.n_out, 0);
    assert_int_equal(uart_read(guest, RBR), 'L');
    type("zz");
    uart_write(guest, IIR, 3);
    assert_int_equal(uart_read(guest, LSR), 0x60);
}

/* The head of the ring is the receiving core's: it may append at this moment. */
static void what_is_looped_back_comes_first_and_in_order_and_leaves_the_head(void **state)
{
    for (u32 turn = 0; turn < 256; turn += 3) { /* also over the end of the ring */
        type("yz");
        u8 head = guest->uart.rx_head;
        uart_write(guest, MCR, 0x10);
        uart_write(guest, RBR, 'a');
        uart_write(guest, RBR, 'b');
        assert_int_equal(uart_read(guest, RBR), 'a');
        uart_write(guest, RBR, 'c');
        assert_int_equal(guest->uart.rx_head, head);
        for (const char *s = "bcyz"; *s; s++) {
            assert_int_equal(uart_read(guest, LSR), 0x61);
            assert_int_equal(uart_read(guest, RBR), *s);
        }
        assert_int_equal(uart_read(guest, LSR), 0x60);
    }
}

static void loopback_holds_a_fifo_and_takes_no_place_of_what_is_typed(void **state)
{
    uart_write(guest, MCR, 0x10);
    for (u32 i = 0; i < 20; i++)
        uart_write(guest, RBR, i);
    for (u32 i = 0; i < 16; i++)
        assert_int_equal(uart_read(guest, RBR), i);
    assert_int_equal(uart_read(guest, LSR), 0x60);
    for (u32 i = 0; i < 200; i++)
        type("t");
    uart_write(guest, RBR, 'a');
    for (u32 i = 0; i < 200; i++)
        assert_int_equal(uart_read(guest, RBR), 't');
    assert_int_equal(uart_read(guest, LSR), 0x60);
}

/* ---- instructions ---- */

#define D(op, rt, ra) ((op) << 26 | (rt) << 21 | (ra) << 16)
#define X(xo, rt, ra) (31u << 26 | (rt) << 21 | (ra) << 16 | 7 << 11 | (xo) << 1)
#define EA            0xdeadbe03u /* whatever the guest's translation made of the address */
#define MEMORY        (PT_ADDRESS + 0x1000u)
#define PC            0xc0000100u

/* The guest executes at PC by this hardware entry. */
static void executes_by(u32 lo)
{
    guest->base = MEMORY;
    guest->size = 0x1000;
    hw_set_pid(7);
    hw_tlb_write(3, (PC & ~0xfffu) | TLBHI_SIZE(1) | TLBHI_V, lo);
}

static u32 run(u32 insn, u32 reg, u32 value)
{
    fake.events = 0;
    executes_by(MEMORY | TLBLO_EX);
    guest->ctx.pc = PC;
    guest->ctx.gpr[5] = value;
    guest->ctx.gpr[6] = 0;
    *(u32 *)(uintptr_t)(MEMORY + 0x100) = insn;
    mmio(guest, UART_GPA + reg, EA);
    return guest->ctx.gpr[5];
}

static void every_load_reads_the_register_as_the_board_does(void **state)
{
    static const struct {
        u32 d, x, reversed;
    } loads[] = { { 32, 23, 0x5a000000 }, { 34, 87, 0 }, { 40, 279, 0x5a00 }, { 42, 343, 0 } };
    uart_write(guest, SCR, 0x5a);
    for (u32 i = 0; i < 4; i++)
        for (u32 update = 0; update < 2; update++) {
            assert_int_equal(run(D(loads[i].d + update, 5, 6), SCR, 0), 0x5a);
            assert_int_equal(guest->ctx.pc, PC + 4);
            assert_int_equal(guest->ctx.gpr[6], update ? EA : 0);
            assert_int_equal(run(X(loads[i].x + 32 * update, 5, 6), SCR, 0), 0x5a);
            assert_int_equal(guest->ctx.gpr[6], update ? EA : 0);
        }
    assert_int_equal(run(X(534, 5, 6), SCR, 0), 0x5a000000);
    assert_int_equal(run(X(790, 5, 6), SCR, 0), 0x5a00);
    assert_int_equal(guest->ctx.gpr[6], 0);
    assert_int_equal(fake.events, 0);
}

static void every_store_writes_the_register_as_the_board_does(void **state)
{
    static const u32 d[] = { 36, 38, 44 }, x[] = { 151, 215, 407 };
    for (u32 i = 0; i < 3; i++)
        for (u32 update = 0; update < 2; update++) {
            run(D(d[i] + update, 5, 6), SCR, 0x11223344);
            assert_int_equal(uart_read(guest, SCR), 0x44);
            assert_int_equal(guest->ctx.gpr[6], update ? EA : 0);
            uart_write(guest, SCR, 0);
            run(X(x[i] + 32 * update, 5, 6), SCR, 0x55667788);
            assert_int_equal(uart_read(guest, SCR), 0x88);
        }
    run(X(662, 5, 6), SCR, 0x11223344);
    assert_int_equal(uart_read(guest, SCR), 0x11);
    run(X(918, 5, 6), SCR, 0x11223344);
    assert_int_equal(uart_read(guest, SCR), 0x33);
}

static void other_instructions_and_addresses_are_faults(void **state)
{
    static const u32 wrong[] = { D(46u, 5, 6),
                                 D(47u, 5, 6),
                                 X(20, 5, 6),
                                 X(150, 5, 6),
                                 X(597, 5, 6),
                                 X(533, 5, 6),
                                 X(1014, 5, 6),
                                 X(86, 5, 6),
                                 X(54, 5, 6),
                                 X(982, 5, 6),
                                 0 };
    for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
        run(wrong[i], SCR, 0);
        assert_int_equal(fake.events, 1);
        assert_int_equal(guest->ctx.pc, PC + 4); /* where a table ignores the fault, the access did nothing */
        assert_int_equal(fake.pc, PC + 4);       /* nothing is written behind the event: it may give the VM away */
    }
    run(D(34u, 5, 6), 8, 0);
    assert_int_equal(fake.events, 1);
    run(D(34u, 5, 6), -1u, 0);
    assert_int_equal(fake.events, 1);
    assert_int_equal(fake.event, PT_ON_FAULT);
}

static void the_instruction_is_read_from_the_guests_own_memory_only(void **state)
{
    static const u32 elsewhere[] = { MEMORY - 0x1000, MEMORY + 0x1000, 0xef600000,
                                     0 }; /* none of them is mapped here but the first */
    uart_write(guest, SCR, 0x5a);
    assert_int_equal(run(D(34u, 5, 6), SCR, 0), 0x5a);
    for (u32 i = 0; i <= ARRAY_SIZE(elsewhere); i++) {
        fake.events = 0;
        executes_by(elsewhere[i % ARRAY_SIZE(elsewhere)] | TLBLO_EX);
        if (i == ARRAY_SIZE(elsewhere))
            hw_tlb_drop(3); /* and where there is no entry at all */
        guest->ctx.pc = PC;
        guest->ctx.gpr[5] = 0;
        mmio(guest, UART_GPA + SCR, EA);
        assert_int_equal(fake.events, 1);
        assert_int_equal(guest->ctx.gpr[5], 0);
    }
}

static void a_store_to_a_bell_rings_it(void **state)
{
    const u32 bell = BELL_GPA(3) - UART_GPA + 8;
    run(D(38u, 5, 6), bell, 1);
    assert_int_equal(fake.bells, 1);
    assert_int_equal(fake.bell, BELL_GPA(3) + 8);
    assert_int_equal(fake.events, 0);
    assert_int_equal(guest->ctx.pc, PC + 4);
    run(D(34u, 5, 6), bell, 0); /* a load */
    assert_int_equal(fake.bells, 1);
    assert_int_equal(fake.events, 1);
    run(D(38u, 5, 6), bell + 0x1000, 1); /* not this guest's */
    assert_int_equal(fake.bells, 2);
    assert_int_equal(fake.events, 1);
    run(D(38u, 5, 6), SCR, 1); /* the serial port is no bell */
    assert_int_equal(fake.bells, 2);
}

static void dcrs_reach_the_controller_and_nothing_else(void **state)
{
    for (u32 dcr = 0; dcr < 1024; dcr++)
        dcr_write(guest, dcr, 0xffffffff);
    for (u32 dcr = 0; dcr < 1024; dcr++)
        if (dcr - DCR_UIC > UIC_VCR)
            assert_int_equal(dcr_read(guest, dcr), 0);
    assert_int_equal(dcr_read(guest, DCR_UIC + UIC_ER), 0xffffffff);
    assert_int_equal(fake_dcr[DCR_UIC + UIC_ER], 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, fake_guest_setup)
    const struct CMUnitTest tests[] = {
        T(what_is_written_is_out),
        T(an_empty_transmitter_asks_until_it_is_told),
        T(received_bytes_come_first_and_in_order),
        T(a_driver_that_probes_finds_a_16550),
        T(what_is_looped_back_comes_first_and_in_order_and_leaves_the_head),
        T(loopback_holds_a_fifo_and_takes_no_place_of_what_is_typed),
        T(every_load_reads_the_register_as_the_board_does),
        T(every_store_writes_the_register_as_the_board_does),
        T(other_instructions_and_addresses_are_faults),
        T(the_instruction_is_read_from_the_guests_own_memory_only),
        T(a_store_to_a_bell_rings_it),
        T(dcrs_reach_the_controller_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
