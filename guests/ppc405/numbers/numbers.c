/* SPDX-License-Identifier: MIT */
/*
 * numbers - a member of a ring of tunnels in which numbered messages go round while members die
 * (guests/include/numbers.h). t0= and t1= are the numbers of its two tunnels in the system file, side0= and side1= its
 * halves of them. Typed letters: k dies by an access to no memory, r resets the system, h does nothing any more, which
 * its watchdog sees. Two lines every 200 ms say how far it is; one with WRONG says what must not be.
 */
#include <guest.h>
#include <amalgam_calls.h>
#include "../../include/numbers.h"

#define ENDS       2
#define NOWHERE    0x70000000u
#define MS         333333u
#define TCR_PERIOD 0x80000000u /* TCR[WP]: 2^25 ticks, 100 ms */

static struct numbers ends[ENDS];
static u32 tunnels[ENDS], sent_at[ENDS];

static void obey(char what)
{
    if (what == 'k')
        *(volatile u32 *)NOWHERE = 1;
    if (what == 'r')
        mtspr(SPR_DBCR0, DBCR0_RST_SYSTEM);
    while (what == 'h')
        ;
}

static void work(u32 i)
{
    struct numbers *n = &ends[i];
    bool told = numbers_take(n);
    if (numbers_send(n, ticks() - sent_at[i] > 200 * MS)) {
        sent_at[i] = ticks();
        told = true;
    }
    if (told)
        amalgam_tunnel_notify(tunnels[i]);
    if (n->wrong) {
        print("numbers: WRONG at tunnel %u: %s (life %u number %u of life %u)\n", i, n->wrong, n->life, n->last,
              n->from);
        power_off();
    }
}

static void say(void)
{
    for (u32 i = 0; i < ENDS; i++)
        print("numbers: tunnel %u: life %u sent %u dropped %u; taken %u missing %u, last %u of life %u\n", i,
              ends[i].life, ends[i].number, ends[i].dropped, ends[i].taken, ends[i].missing, ends[i].last,
              ends[i].from);
}

void guest_main(void)
{
    mtspr(SPR_TCR, TCR_PERIOD | TCR_WRC);
    for (u32 i = 0; i < ENDS; i++) {
        tunnels[i] = arg_number(i ? "t1" : "t0", 0);
        s32 gpa = amalgam_create_comm_tunnel(tunnels[i]);
        if (gpa >= -4095 && gpa < 0) {
            print("numbers: no tunnel %u: %d\n", i, gpa);
            return;
        }
        numbers_begin(&ends[i], (void *)gpa, arg_number(i ? "side1" : "side0", 0));
    }
    for (u32 said = ticks();;) {
        for (u32 i = 0; i < ENDS; i++)
            work(i);
        mtspr(SPR_TSR, TSR_ENW | TSR_WIS);
        if (load8(UART_LSR) & 1)
            obey((char)load8(UART_DATA));
        if (ticks() - said > 200 * MS) {
            say();
            said = ticks();
        }
        amalgam_yield();
    }
}
