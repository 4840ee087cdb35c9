/* SPDX-License-Identifier: MIT */
/*
 * sync.c - all objects of threads at once (sync.h), while the first thread sends signals to the others. arguments:
 * [sync, steps of all threads, threads, 1: with signals]; the last line says whether all was right.
 */
#include <amalgam/signal.h>
#include <stdio.h>

#include "sync.h"

#define SIGNAL   5
#define PAUSE_NS 200000u

static sem_t rung; /* a handler may post */
static unsigned handled;
static uint32_t running;

static struct amalgam_frame *ring(int signal, struct amalgam_frame *frame)
{
    (void)signal;
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
    sem_post(&rung);
    return frame;
}

static void *work_and_tell(void *arg)
{
    work(arg);
    __atomic_sub_fetch(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void disturb(void)
{
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
        for (unsigned i = 0; i < sync.threads; i++) {
            int thread = __atomic_load_n(&sync.worker[i].thread, __ATOMIC_RELAXED);
            if (thread > 0)
                amalgam_signal_send((uintptr_t)thread, SIGNAL);
        }
        amalgam_sleep_until((uint64_t)amalgam_clock() + PAUSE_NS);
    }
}

int main(int argc, char **argv)
{
    unsigned steps = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 10000;
    unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 4;
    bool signals = argc > 3 && *argv[3] == '1';
    pthread_t thread[SYNC_MOST];
    int posted;
    if (!threads || threads > SYNC_MOST)
        return 2;
    sync_begin(threads, steps);
    sem_init(&rung, 0, 0);
    if (signals)
        CHECK(amalgam_signal(SIGNAL, ring) == 0);
    running = threads;
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work_and_tell, &sync.worker[i])) {
            puts("sync: WRONG: no thread");
            return 1;
        }
    if (signals)
        disturb();
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    struct worker sum = sync_end();
    sem_getvalue(&rung, &posted);
    CHECK((unsigned)posted == handled && (handled > 0) == signals);
    printf("sync: %lu rounds, %lu threads, %lu late, %u signals\n", sync.rounds, sum.children, sum.late, handled);
    printf("sync: %s\n", sync.wrong ? "WRONG" : "right");
    return sync.wrong != 0;
}
