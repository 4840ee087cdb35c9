/* SPDX-License-Identifier: MIT */
/*
 * mail.c - messages between the runs of a process on several cores of an SCC. arguments: [mail, ROUNDS, CORES...]. The
 * first of the cores sends ROUNDS messages to each other one, waits for each answer, by each of the three ways, and
 * compares; then synchronous messages. The others answer: a message's first byte says how its sender waits. Marks 1 to
 * 6 for the emulator's clocks are before and after the rounds of each way, with the first of the other cores.
 */
#include <amalgam/scc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"

#define BYTES   28
#define STOP    255
#define SILENT  254 /* take it and do not answer */
#define SECOND  1000000000u
#define FOREVER UINT64_MAX

#define SYNCHRONOUS 20 /* messages by each way of waiting */

static unsigned char sent[BYTES], got[BYTES];
static unsigned wrong;

static int64_t must(int64_t result, const char *what)
{
    if (result < 0) {
        printf("mail: %s: error %d\n", what, (int)-result);
        exit(1);
    }
    return result;
}

/* Kernels come up one after the other. */
static void await(unsigned core)
{
    uint64_t end = (uint64_t)amalgam_clock() + 60ull * SECOND;
    sent[0] = AMALGAM_MAIL_RECEIVE_INTERRUPT;
    while (amalgam_mail_send(core, sent, 1) == -AMALGAM_ENODEV && (uint64_t)amalgam_clock() < end)
        amalgam_sleep_until((uint64_t)amalgam_clock() + SECOND / 1000);
    must(amalgam_mail_receive(got, AMALGAM_MAIL_RECEIVE_INTERRUPT, end), "first answer");
}

static void answer(void)
{
    unsigned how = AMALGAM_MAIL_RECEIVE_INTERRUPT;
    for (;;) {
        int64_t from = amalgam_mail_receive(got, how, FOREVER);
        must(from, "receive");
        if (got[0] == STOP)
            return;
        if (got[0] == SILENT)
            continue;
        how = got[0];
        must(amalgam_mail_send((unsigned)from >> 8, got, (unsigned)from & 0xff), "send");
    }
}

static void round_trip(unsigned core, unsigned how, unsigned long n)
{
    sent[0] = (unsigned char)how;
    for (unsigned i = 1; i < BYTES; i++)
        sent[i] = (unsigned char)(n + i);
    must(amalgam_mail_send(core, sent, BYTES), "send");
    int64_t from = must(amalgam_mail_receive(got, how, (uint64_t)amalgam_clock() + SECOND), "receive");
    wrong += from != (core << 8 | BYTES) || memcmp(sent, got, BYTES) != 0;
}

/* Messages that are taken when the call returns: so there is always room. */
static void synchronous(unsigned core)
{
    sent[0] = SILENT;
    for (unsigned i = 0; i < SYNCHRONOUS * 3; i++)
        must(amalgam_mail_send_sync(AMALGAM_MAIL_TO(core, BYTES, i % 3), sent, (uint64_t)amalgam_clock() + SECOND),
             "synchronous send");
}

#define ROUNDS(how, core, rounds, mark)                                                                                \
    do {                                                                                                               \
        round_trip(core, how, rounds); /* the other side's wait is the last message's */                               \
        MARK(mark);                                                                                                    \
        for (unsigned long n = 0; n < (rounds); n++)                                                                   \
            round_trip(core, how, n);                                                                                  \
        MARK((mark) + 1);                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    unsigned own = (unsigned)must(amalgam_mail_core(), "core");
    if (argc < 3 || own != strtoul(argv[2], NULL, 10)) {
        answer();
        return 0;
    }
    for (int i = 3; i < argc; i++) {
        unsigned core = (unsigned)strtoul(argv[i], NULL, 10);
        await(core);
        ROUNDS(AMALGAM_MAIL_RECEIVE_POLL, core, rounds, 1);
        ROUNDS(AMALGAM_MAIL_RECEIVE_INTERRUPT, core, rounds, 3);
        ROUNDS(AMALGAM_MAIL_RECEIVE_ADAPTIVE, core, rounds, 5);
        synchronous(core);
        sent[0] = STOP;
        must(amalgam_mail_send(core, sent, 1), "send");
    }
    printf("mail: %d synchronous messages to each of %d cores\n", SYNCHRONOUS * 3, argc - 3);
    printf("mail: %lu messages to each of %d cores by each of three ways, %u wrong\n", rounds, argc - 3, wrong);
    return wrong != 0;
}
