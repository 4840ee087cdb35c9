/* SPDX-License-Identifier: MIT */
/*
 * ends.c - a run of the process ends while it owns a page: by a bad pointer, by its watchdog in a barrier or in a loop,
 * or by exit(). The other run then takes the page, and makes calls. arguments: [ends, how].
 */
#include <amalgam/scc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000u

static void end(const char *how)
{
    if (strcmp(how, "fault") == 0)
        __asm__ volatile("movl $1, 16");
    if (strcmp(how, "barrier") == 0)
        amalgam_svm_barrier();
    if (strcmp(how, "exit") == 0)
        exit(0);
    for (;;)
        ;
}

int main(int argc, char **argv)
{
    int64_t at = amalgam_svm_alloc(2, AMALGAM_SVM_ALLOC_STRONG);
    volatile unsigned *page = (volatile unsigned *)(uintptr_t)at;
    if (at < 0 || argc < 2) {
        printf("ends: no region: error %d\n", (int)-at);
        return 1;
    }
    if (amalgam_svm_rank() == 0) {
        page[0] = page[1024] = 123; /* it owns both now */
        amalgam_svm_barrier();
        end(argv[1]);
    }
    amalgam_svm_barrier();
    for (int i = 0; i < 8; i++) { /* its own watchdog is kicked meanwhile */
        amalgam_watchdog_kick();
        amalgam_sleep_until((uint64_t)amalgam_clock() + SECOND / 5);
    }
    unsigned found = page[0];
    int64_t barrier = amalgam_svm_barrier(), again = amalgam_svm_barrier();
    printf("ends: %s: found %u and %u; barrier %d, then %d\n", argv[1], found, page[1024], (int)barrier, (int)again);
    return 0;
}
