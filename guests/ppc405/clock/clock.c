/* SPDX-License-Identifier: MIT */
/*
 * clock - a partition that has the board's clock chip, a 48T08 whose memory has a battery, and serves it to two others
 * by a tunnel each: serve=1, and in each of the others serve=0. t0= and t1= are the numbers of the tunnels in the
 * system file; who asks has t0 only.
 *
 * A request and its answer lie in the tunnel's page, which outlives both ends. A request is answered when the numbers
 * are equal; to do it twice is to do it once, so a server that begins anew takes up what it finds there. Each client
 * has WORDS words of the chip's memory, and reaches no others: what comes from a client is read once, and checked.
 *
 * Who asks goes round: the time, which never goes back; a word that it keeps, and must find again; and what must be
 * refused. A line every 200 ms says how far it is; one with WRONG says what must not be. Typed letters: k dies by an
 * access to no memory, h does nothing any more, which its watchdog sees.
 */
#include <guest.h>
#include <amalgam_calls.h>

#define CLIENTS 2
#define WORDS   16u
#define LATER   12u /* so many words later one that was kept is looked at */

#define CHIP    0xf0001000u /* the second of its two pages */
#define SECONDS (CHIP + 0xff9)
#define MINUTES (CHIP + 0xffa)
#define HOURS   (CHIP + 0xffb)
#define DATE    (CHIP + 0xffd)
#define MONTH   (CHIP + 0xffe)
#define YEAR    (CHIP + 0xfff)

#define NOWHERE    0x70000000u
#define MS         333333u
#define TCR_PERIOD 0x80000000u /* TCR[WP]: 2^25 ticks, 100 ms */

enum what { TIME = 1, KEEP, LOOK };

struct request {
    u32 number, what, at, value;
};

struct answer {
    u32 number, value;
    bool refused;
    u32 life; /* of the server, for this client */
};

struct shared {
    struct request request;
    struct answer answer;
};

#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

static volatile struct shared *at[CLIENTS];
static u32 tunnels[CLIENTS];

static bool open(u32 i)
{
    tunnels[i] = arg_number(i ? "t1" : "t0", 0);
    s32 gpa = amalgam_create_comm_tunnel(tunnels[i]);
    if (gpa >= -4095 && gpa < 0) {
        print("clock: no tunnel %u: %d\n", i, gpa);
        return false;
    }
    at[i] = (volatile struct shared *)gpa;
    return true;
}

static void breathe(void)
{
    mtspr(SPR_TSR, TSR_ENW | TSR_WIS);
    u32 what = load8(UART_LSR) & 1 ? load8(UART_DATA) : 0;
    if (what == 'k')
        *(volatile u32 *)NOWHERE = 1;
    while (what == 'h')
        ;
    amalgam_yield();
}

/* The server */

static u32 of_bcd(u32 v) { return (v >> 4 & 15) * 10 + (v & 15); }

/* Returns the seconds since 1968, from which the chip's years count here. Each fourth of them is a leap year. */
static u32 now(void)
{
    static const u16 before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    u32 second, year, month, day, hour, minute;
    do { /* until no second began meanwhile */
        second = load8(SECONDS);
        year = of_bcd(load8(YEAR));
        month = of_bcd(load8(MONTH) & 0x1f);
        day = of_bcd(load8(DATE) & 0x3f);
        hour = of_bcd(load8(HOURS) & 0x3f);
        minute = of_bcd(load8(MINUTES) & 0x7f);
    } while (load8(SECONDS) != second);
    u32 days = year * 365 + (year + 3) / 4 + before[(month + 11) % 12] + day - 1 + (month > 2 && year % 4 == 0);
    return ((days * 24 + hour) * 60 + minute) * 60 + of_bcd(second & 0x7f);
}

static u32 place(u32 client, u32 word) { return CHIP + (client * WORDS + word) * 4; }

static void keep(u32 to, u32 value)
{
    for (u32 i = 0; i < 4; i++)
        store8(to + i, value >> 8 * i);
}

static u32 look(u32 from)
{
    u32 value = 0;
    for (u32 i = 0; i < 4; i++)
        value |= load8(from + i) << 8 * i;
    return value;
}

static void serve(u32 client)
{
    volatile struct shared *s = at[client];
    u32 number = s->request.number, value = 0;
    if (number == s->answer.number)
        return;
    FENCE();
    u32 what = s->request.what, word = s->request.at;
    bool refused = what < TIME || what > LOOK || (what != TIME && word >= WORDS);
    if (!refused && what == TIME)
        value = now();
    else if (!refused && what == KEEP)
        keep(place(client, word), s->request.value);
    else if (!refused)
        value = look(place(client, word));
    s->answer.refused = refused;
    s->answer.value = value;
    FENCE();
    s->answer.number = number;
    FENCE();
    amalgam_tunnel_notify(tunnels[client]);
}

static void server(void)
{
    for (u32 i = 0; i < CLIENTS; i++) {
        if (!open(i))
            return;
        at[i]->answer.life++;
    }
    print("clock: life %u, %u s\n", at[0]->answer.life, now());
    for (;; breathe())
        for (u32 i = 0; i < CLIENTS; i++)
            serve(i);
}

/* Who asks */

static u32 answers;

static u32 ask(enum what what, u32 word, u32 value, bool refused)
{
    volatile struct shared *s = at[0];
    s->request.what = what;
    s->request.at = word;
    s->request.value = value;
    FENCE();
    u32 number = ++s->request.number;
    FENCE();
    amalgam_tunnel_notify(tunnels[0]);
    while (s->answer.number != number)
        breathe();
    FENCE();
    if (s->answer.refused != refused) {
        print("clock: WRONG: request %u of word %u was%s refused\n", what, word, refused ? " not" : "");
        power_off();
    }
    answers++;
    return s->answer.value;
}

static void ask_for_ever(void)
{
    u32 last = 0, first = ticks(), said = first;
    for (u32 value = first;; value++) {
        u32 time = ask(TIME, 0, 0, false), old = value - first < LATER ? value : value - LATER;
        ask(KEEP, value % WORDS, value, false);
        u32 found = ask(LOOK, old % WORDS, 0, false);
        ask(LOOK, WORDS, 0, true);
        ask(KEEP, 0x40000000, value, true); /* times four it is 0 */
        ask(LOOK + 1, 0, 0, true);
        if (time < last || found != old) {
            print("clock: WRONG: %u s after %u, word %x for %x\n", time, last, found, old);
            power_off();
        }
        last = time;
        if (ticks() - said > 200 * MS) {
            print("clock: %u answers, %u s, life %u\n", answers, time, at[0]->answer.life);
            said = ticks();
        }
    }
}

void guest_main(void)
{
    mtspr(SPR_TCR, TCR_PERIOD | TCR_WRC);
    if (arg_number("serve", 0))
        server();
    else if (open(0))
        ask_for_ever();
}
