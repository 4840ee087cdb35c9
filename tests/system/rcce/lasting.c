/* SPDX-License-Identifier: MIT */
/* lasting.c - ping-pong of two UEs without end. Each round has its number in each word, and some five times a second
 * UE 0 says how many there were. */
#include <RCCE.h>
#include <stdio.h>

enum { WORDS = 8 };

int RCCE_APP(int argc, char **argv)
{
    unsigned word[WORDS], wrong = 0;
    RCCE_init(&argc, &argv);
    int me = RCCE_ue();
    double said = RCCE_wtime();
    for (unsigned round = 0;; round += 2) {
        for (int i = 0; i < WORDS; i++)
            word[i] = round + (unsigned)i;
        if (!me)
            RCCE_send((char *)word, sizeof(word), 1);
        RCCE_recv((char *)word, sizeof(word), 1 - me);
        for (int i = 0; i < WORDS; i++)
            wrong += word[i] != round + (unsigned)(i + !me);
        for (int i = 0; i < WORDS; i++)
            word[i]++;
        if (me)
            RCCE_send((char *)word, sizeof(word), 0);
        if (!me && RCCE_wtime() - said > 0.2) {
            printf("lasting: %u rounds, %u wrong\n", round / 2 + 1, wrong);
            said = RCCE_wtime();
        }
    }
}
