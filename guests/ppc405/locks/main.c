/* SPDX-License-Identifier: MIT */
/*
 * main.c - calls the routines of the kernel's lock, from the kernel's own files, for one to eight cores. It runs on one
 * core; the other cores are words in memory. tools/plugin/visits.c counts the calls.
 *     locks: cores=4 done
 */
#include <guest.h>
#include "sem.h"

#define ROUNDS 16

u32 core_count;

static struct semaphore lock;

static u32 failed;

static void handed(bool done) { failed += !done; }

void guest_main(void)
{
    core_count = arg_number("cores", 4);
    lock.free = 1;
    for (u32 i = 0; i < ROUNDS; i++) {
        handed(sem_wait(&lock, 0));
        handed(sem_signal(&lock, 0));
        handed(sem_wait(&lock, 0));
        lock.queue[lock.tail++ % PT_CORES] = 1; /* core 1 waits, and is finished at once */
        handed(sem_signal(&lock, 0));
        lock.free = 1;
    }
    print("locks: cores=%u done, %u failed\n", core_count, failed);
}
