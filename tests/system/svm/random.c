/* SPDX-License-Identifier: MIT */
/*
 * random.c - does its worst to shared pages: calls with random numbers and pointers, in several threads, and accesses
 * anywhere in its own regions. Runs on several cores make calls that all make in the same random order, most of them
 * with the same arguments. arguments: [random, steps].
 */
#include <amalgam/calls.h>
#include <amalgam/scc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define AT    0xdf200000u
#define PAGES 64u
#define PAGE  4096u

static uint64_t own = 1, common = 88172645463325252u; /* of this run; the same in all */
static unsigned long taken, refused;

static unsigned any(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 16);
}

static uint32_t pointer(uint64_t *state)
{
    static const uint32_t bases[] = { 0,          0x100000,   0x80000000, 0x80400000, 0x804ff000,
                                      0x80500000, 0x90000000, 0x90b00000, 0xc0000000, 0xde000000,
                                      0xde100000, 0xded00000, 0xe0000000, 0xfffffff0 };
    unsigned kind = any(state) % 32;
    if (kind < sizeof(bases) / sizeof(*bases))
        return bases[kind] + any(state) % 64;
    if (kind == 31)
        return any(state);
    return AT + any(state) % (PAGES + 4) * PAGE + (kind % 8 ? 0 : any(state) % PAGE);
}

static void note(int64_t result)
{
    taken += result >= 0;
    refused += result < 0;
}

/* A call that all make; `state`: what all know, or only this run. */
static void collective(uint64_t *state)
{
    unsigned which = any(state) % 4, size = any(state) % 4 ? any(state) % 12 : any(state) % 0x11000;
    uint32_t at = pointer(state), model = any(state) % 5;
    switch (which) {
    case 0: note(amalgam_call(AMALGAM_SVM_ALLOC, size, model, any(state), any(state))); break;
    case 1: note(amalgam_call(AMALGAM_SVM_FREE, at, model, 0, 0)); break;
    case 2: note(amalgam_call(AMALGAM_SVM_CHANGE, at, model, 0, 0)); break;
    default: note(amalgam_call(AMALGAM_SVM_BARRIER, at, size, 0, 0)); break;
    }
}

/* What no other run takes part in; the kernel touches the pages. */
static void alone(uint64_t *state)
{
    uint64_t soon = (uint64_t)amalgam_clock() + any(state) % 10000;
    switch (any(state) % 8) {
    case 0: note(amalgam_svm_acquire()); break;
    case 1: note(amalgam_svm_release()); break;
    case 2: note(amalgam_call(AMALGAM_MAIL_SEND, any(state) % 50, pointer(state), any(state) % 40, 0)); break;
    case 3: note(amalgam_call(AMALGAM_MAIL_RECEIVE, pointer(state), any(state) % 3, AMALGAM_WIDE(soon))); break;
    case 4: note(amalgam_call(AMALGAM_WAIT, pointer(state), any(state) % 2, AMALGAM_WIDE(soon))); break;
    case 5: note(amalgam_call(AMALGAM_WAKE, pointer(state), any(state), 0, 0)); break;
    case 6: note(amalgam_call(AMALGAM_UNMAP + any(state) % 2, AT + any(state) % PAGES * PAGE, PAGE, 1, 0)); break;
    default: note(amalgam_call(AMALGAM_SVM_RANK + any(state) % 4, pointer(state), any(state), 0, 0)); break;
    }
}

static void *work(void *steps)
{
    uint64_t state = own ^ (uintptr_t)&steps;
    for (unsigned long i = 0; i < (unsigned long)steps; i++) {
        alone(&state);
        if (any(&state) % 16 == 0)
            collective(&state);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    pthread_t thread[3];
    int together = amalgam_svm_members() > 1;
    own = (uint64_t)amalgam_clock() << 8 | (unsigned)amalgam_mail_core() | 1;
    for (unsigned i = 0; i < 3 && !together; i++)
        pthread_create(&thread[i], NULL, work, (void *)steps);
    for (unsigned long i = 0; i < steps; i++) {
        alone(&own);
        collective(any(&common) % 8 ? &common : &own);
        if (together && any(&common) % 2) { /* a page of their own, to which all store at once */
            int64_t at = amalgam_svm_alloc(1, any(&common) % 2);
            if (at > 0) {
                volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)at;
                for (unsigned k = 0; k < 8; k++)
                    word[any(&own) % 1024] = any(&own);
                note(amalgam_svm_free((const void *)(uintptr_t)at));
            }
        }
    }
    for (unsigned i = 0; i < 3 && !together; i++)
        pthread_join(thread[i], NULL);
    printf("random: %lu taken, %lu refused\n", taken, refused);
    return 0;
}
