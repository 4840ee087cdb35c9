/* SPDX-License-Identifier: MIT */
/*
 * portcost.c - measures what a process pays for its ports of switches (bench/i586-linux), in ticks of the time stamp
 * counter, which under icount are instructions; lines `bench NAME MINIMUM MEDIAN SAMPLES`. Arguments [NAME, FRAMES,
 * B, C, D]. Its ports 0 and 1 are at one switch that nobody else is at; port 2 is at that of a guest with the address
 * 10.B.C.D, 10.0.0.1 unless told.
 *
 *   port-send, port-receive   a frame of 60 bytes to another port, and one that has come
 *   port-answer               a question by ARP until the guest's answer, with all that the guest does for it
 *   window-late               the latest window of core 0 up to the end of FRAMES questions that nobody waits for
 *
 * Without FRAMES, or with 0, it only asks until it is stopped, as often as it can: `flood: N answers` now and then.
 */
#include <amalgam/port.h>
#include <amalgam/status.h>
#include <stdbool.h>
#include <string.h>

#define PROGRAM "portcost"
#include "../../../user/programs/must.h"
#include "../../include/ticks.h"

#define WARM     8
#define SAMPLES  1000
#define LENGTH   60u
#define ASK_NS   20000000ull /* until a question is asked again */
#define SAY_EACH 20000u      /* questions between two lines of a flood */

static uint64_t sample[SAMPLES], overhead;
static unsigned port[3];
static uint8_t question[LENGTH] = { [12] = 8,  6, 0, 1, 8, 0, 6, 4, 0, 1, /* who has an address of IPv4? */
                                    [28] = 10, 0, 0, 9,                   /* asks 10.0.0.9 */
                                    [38] = 10, 0, 0, 1 };

static void report(const char *name)
{
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    printf("bench %s %llu %llu %u\n", name, (unsigned long long)(sample[0] - overhead),
           (unsigned long long)(sample[SAMPLES / 2] - overhead), SAMPLES);
}

static void put_address(uint8_t *at, unsigned of)
{
    int64_t number = RESULT(amalgam_port_info(of, AMALGAM_PORT_INFO_ADDRESS));
    for (unsigned k = 0; k < 6; k++)
        at[k] = (uint8_t)(number >> 8 * (5 - k));
}

/* Between two ports: one frame at a time, so that there is room and something to take. */
static void calls(void)
{
    static uint64_t sent[SAMPLES];
    uint8_t frame[LENGTH] = { 0 }, got[AMALGAM_PORT_FRAME];
    put_address(frame, port[1]);
    put_address(frame + 6, port[0]);
    for (int i = -WARM; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        int64_t err = amalgam_port_send(port[0], frame, LENGTH);
        uint64_t t1 = ticks();
        int64_t n = amalgam_port_receive(port[1], got, sizeof(got));
        uint64_t t2 = ticks();
        MUST(!err && n == LENGTH && !memcmp(got, frame, LENGTH));
        if (i >= 0) {
            sent[i] = t1 - t0;
            sample[i] = t2 - t1;
        }
    }
    report("port-receive");
    memcpy(sample, sent, sizeof(sample));
    report("port-send");
}

/* Take what has come. Returns how many of them are the guest's answers; from then on it alone is asked. */
static unsigned take_answers(void)
{
    uint8_t got[AMALGAM_PORT_FRAME];
    unsigned answers = 0;
    for (int64_t n; (n = amalgam_port_receive(port[2], got, sizeof(got))) > 0;)
        if (n >= 42 && got[13] == 6 && got[21] == 2 && !memcmp(got + 28, question + 38, 4)) {
            memcpy(question, got + 6, 6);
            answers++;
        }
    return answers;
}

static void ask(void) { MUST(!amalgam_port_send(port[2], question, LENGTH)); }

/* Ask until the guest has answered. Returns how often it was asked: once, but where it is not there yet. */
static unsigned ask_and_wait(void)
{
    unsigned asked = 0;
    do {
        ask();
        asked++;
        amalgam_port_wait(port[2], amalgam_clock() + ASK_NS);
    } while (!take_answers());
    return asked;
}

static void answers(void)
{
    for (int i = -WARM; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        unsigned asked = ask_and_wait();
        uint64_t t1 = ticks();
        MUST(i == -WARM || asked == 1);
        if (i >= 0)
            sample[i] = t1 - t0;
    }
    report("port-answer");
}

/* Ask without a pause; n is 0: for ever. Returns how many were answered, of those that the port had room for. */
static unsigned flood(unsigned n)
{
    unsigned answered = 0;
    for (unsigned i = 1; !n || i <= n; i++) {
        ask();
        answered += take_answers();
        if (!n && i % SAY_EACH == 0)
            printf("flood: %u answers\n", answered), fflush(stdout);
    }
    return answered;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    for (int i = 2; i < argc && i < 5; i++)
        question[37 + i] = (uint8_t)atoi(argv[i]);
    for (unsigned i = 0; i < 3; i++)
        port[i] = (unsigned)RESULT(amalgam_port_open(i));
    memset(question, 0xff, 6);
    put_address(question + 6, port[2]);
    put_address(question + 22, port[2]);
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        sample[i] = ticks() - t0;
    }
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    overhead = sample[0];
    ask_and_wait();
    puts("portcost: the guest answers");
    fflush(stdout);
    if (!n)
        flood(0);
    calls();
    answers();
    unsigned answered = flood(n);
    struct amalgam_core_status core = { 0 };
    RESULT(amalgam_core_status(RESULT(amalgam_status_open()), 0, &core));
    printf("bench window-late %llu %llu %llu\n", (unsigned long long)core.late, (unsigned long long)core.late,
           (unsigned long long)core.edges);
    printf("portcost: done, %u of %u answered\n", answered, n);
    return 0;
}
