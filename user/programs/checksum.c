/* SPDX-License-Identifier: MIT */
/*
 * checksum.c - the neighbour of a storm on boards without guests: what guests/checksum.c computes and prints, by a
 * process. arguments: [checksum, REPORT]: a line each REPORT rounds. Its ticks are nanoseconds.
 */
#include <amalgam/calls.h>

#define PROGRAM "checksum"
#include "must.h"

#define SEED  7
#define WORDS (1ul << 17)

static uint64_t area[WORDS];

static uint64_t fold(uint64_t sum)
{
    for (unsigned long i = 0; i < WORDS; i++) {
        sum = (sum << 7 | sum >> 57) ^ area[i];
        area[i] = sum + i;
    }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned every = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    MUST(every > 0);
    uint64_t word = SEED, sum = SEED, worst = 0;
    for (unsigned long i = 0; i < WORDS; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        area[i] = word;
    }
    uint64_t begin = (uint64_t)RESULT(amalgam_clock());
    for (unsigned long round = 1;; round++) {
        uint64_t start = (uint64_t)RESULT(amalgam_clock());
        sum = fold(sum);
        uint64_t end = (uint64_t)RESULT(amalgam_clock());
        worst = end - start > worst ? end - start : worst;
        if (round % every == 0) {
            printf("checksum: round=%lu sum=%016llx ticks=%llu worst=%llu\n", round, (unsigned long long)sum,
                   (unsigned long long)((end - begin) / every), (unsigned long long)worst);
            worst = 0;
            begin = (uint64_t)RESULT(amalgam_clock());
        }
    }
}
