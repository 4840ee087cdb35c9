/* SPDX-License-Identifier: MIT */
/*
 * `wreck SEED BURSTS STORES AREA BEGIN`: a program in kernel space that writes rubbish into every word that kernels share, again and
 * again: who is up, who rang whom, senders, rings of text, requests, mail, and the words of shared virtual memory. Not
 * into its pages: rubbish there cannot be told from data. Rubbish is any number, and numbers that look right. AREA is one
 * of the below, -1 all.
 */
#include <RCCE.h>
#include "rcce.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* board/scc.h, svm/state.h */
static const struct {
    uintptr_t at, bytes;
} shared[] = {
    { 0x80000000, 0x880 },   /* rates, who is up, bells, senders */
    { 0x80000000, 0x44000 }, /* the same, rings of text, requests */
    { 0x80100000, 0x60000 }, /* message passing buffers */
    { 0x80400000, 0x8000 },  /* owners, calls, signs of life, barriers, locks */
    { 0x80402c00, 0x3800 },  /* the same without the owners */
};

#define AREAS (sizeof(shared) / sizeof(*shared))

static uint64_t state;

static uint32_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t rubbish(volatile uint32_t *word)
{
    switch (any() % 8) {
    case 0: return 0;
    case 1: return ~0u;
    case 2: return any() % 64;
    case 3: return 0x4d610000u + any() % 40; /* as a message's word */
    case 4: return *word + 1;
    case 5: return (*word & ~0xffu) + any() % 50; /* another owner */
    case 6: return word[any() % 8];
    default: return any();
    }
}

static void pause(double seconds)
{
    for (double end = RCCE_wtime() + seconds; RCCE_wtime() < end;)
        rcce.calls->rest();
}

/* In bursts, the first one after BEGIN ms: what is overwritten while nobody looks is a lost word, else it is a wrong one. */
int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    state = (uint64_t)atoi(argv[1]) << 20 | 1;
    int bursts = atoi(argv[2]), stores = atoi(argv[3]), area = atoi(argv[4]);
    for (int burst = 0; burst < bursts; burst++) {
        pause((burst ? any() % 4000 : atoi(argv[5]) * 1000) * 1e-6);
        for (int i = 0; i < stores; i++) {
            unsigned r = area < 0 ? any() % AREAS : (unsigned)area;
            volatile uint32_t *word = (volatile uint32_t *)shared[r].at + any() % (shared[r].bytes / 4);
            *word = rubbish(word);
        }
    }
    printf("wreck: %d times %d stores\n", bursts, stores);
    return 0;
}
