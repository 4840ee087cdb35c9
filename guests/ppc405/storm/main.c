/* SPDX-License-Identifier: MIT */
/*
 * storm - does one thing that costs the hypervisor much, as often as it can, for ever. Its table has `reset: ignore` and
 * `fault: ignore`, so that it survives what it does.
 *   kind=0   64 bytes of 0xff by hypercall: 128 bytes of a tagged line
 *   kind=1   a system reset, an event that the kernel reports
 *   kind=2   a load from nowhere, another one
 *   kind=3   pages of text by its serial port, not looking whether the transmitter is empty
 */
#include <amalgam_calls.h>
#include <guest.h>

#define NOWHERE 0x70000000u

static char bytes[64];

static void write_ff(void) { amalgam_console_write((u32)bytes, sizeof bytes); }
static void reset(void) { mtspr(SPR_DBCR0, DBCR0_RST_SYSTEM); }
static void fault(void) { load8(NOWHERE); }
static void text(void)
{
    for (u32 i = 0; i < 4096; i++)
        store8(UART_DATA, i % 64 == 63 ? '\n' : 'a' + i % 26);
}

static void (*const storm[])(void) = { write_ff, reset, fault, text };

void guest_main(void)
{
    u32 kind = arg_number("kind", 0);

    for (u32 i = 0; i < ARRAY_SIZE(bytes); i++)
        bytes[i] = (char)0xff;
    while (kind < ARRAY_SIZE(storm))
        storm[kind]();
    print("storm: no such kind\n");
}
