/* SPDX-License-Identifier: MIT */
/*
 * buffer.c - Nanvix' benchmark buffer. `buffer PAIRS KIB` runs with 1 to PAIRS pairs of threads and objects of 1 to KIB
 * KiB. Each pair passes 32 objects through a buffer of 16 slots: down, lock, copy by words, unlock, up. It prints the
 * time of the slowest thread's loop, `buffer PAIRS KIB TIME`, and ends with status 1 if an object was damaged. Marks
 * for the emulator's plugin: 16 or 17 before the loop of a thread that puts or gets, 15 after it; in each turn 1 before
 * down, 2 before lock, 3 before the copy, 4 before unlock, 5 before up, 6 after it.
 */
#include <nanvix/runtime/fence.h>
#include <nanvix/sys/mutex.h>
#include <nanvix/sys/semaphore.h>

#include "../mark.h"
#include "measure.h"

#define PAIRS   (WORKERS / 2)
#define OBJECTS 32
#define SLOTS   16
#define KIBS    8

struct buffer {
    struct nanvix_mutex lock;
    struct nanvix_semaphore empty, full;
    size_t first, last;
    word_t *slots;
};

static struct buffer buffers[PAIRS];
static word_t *objects[2 * PAIRS];
static uint64_t took[2 * PAIRS];
static struct fence_t together;
static size_t words; /* in an object */

static void copy(word_t *to, const word_t *from)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

static void take(struct buffer *b, struct nanvix_semaphore *s)
{
    MARK(1);
    MUST(nanvix_semaphore_down(s) == 0);
    MARK(2);
    MUST(nanvix_mutex_lock(&b->lock) == 0);
    MARK(3);
}

static void give(struct buffer *b, struct nanvix_semaphore *s)
{
    MARK(4);
    MUST(nanvix_mutex_unlock(&b->lock) == 0);
    MARK(5);
    MUST(nanvix_semaphore_up(s) == 0);
    MARK(6);
}

static void put(struct buffer *b, const word_t *object)
{
    take(b, &b->empty);
    copy(b->slots + b->first * words, object);
    b->first = (b->first + 1) % SLOTS;
    give(b, &b->full);
}

static void get(struct buffer *b, word_t *object)
{
    take(b, &b->full);
    copy(object, b->slots + b->last * words);
    b->last = (b->last + 1) % SLOTS;
    give(b, &b->empty);
}

static void *pass(void *number)
{
    long i = (long)number;
    struct buffer *b = &buffers[i / 2];
    fence(&together);
    window_start();
    if (i % 2)
        MARK(17);
    else
        MARK(16);
    for (word_t n = 0; n < OBJECTS; n++) {
        if (i % 2) {
            get(b, objects[i]);
            MUST(objects[i][0] == n && objects[i][words - 1] == n);
        } else {
            objects[i][0] = objects[i][words - 1] = n;
            put(b, objects[i]);
        }
    }
    MARK(15);
    perf_stop(0);
    took[i] = perf_read(0);
    return NULL;
}

static void prepare(struct buffer *b)
{
    MUST(nanvix_mutex_init(&b->lock, NULL) == 0);
    MUST(nanvix_semaphore_init(&b->empty, SLOTS - 1) == 0 && nanvix_semaphore_init(&b->full, 0) == 0);
    b->first = b->last = 0;
}

static void end(struct buffer *b)
{
    MUST(nanvix_mutex_destroy(&b->lock) == 0);
    MUST(nanvix_semaphore_destroy(&b->empty) == 0 && nanvix_semaphore_destroy(&b->full) == 0);
}

static void measure(int pairs, int kib)
{
    kthread_t tid[2 * PAIRS];
    uint64_t slowest = 0;
    words = (size_t)kib * KB / WORD_SIZE;
    fence_init(&together, 2 * pairs);
    for (int i = 0; i < pairs; i++)
        prepare(&buffers[i]);
    for (long i = 0; i < 2 * pairs; i++)
        MUST(kthread_create(&tid[i], pass, (void *)i) == 0);
    for (int i = 0; i < 2 * pairs; i++) {
        MUST(kthread_join(tid[i], NULL) == 0);
        slowest = took[i] > slowest ? took[i] : slowest;
    }
    for (int i = 0; i < pairs; i++)
        end(&buffers[i]);
    uprintf("buffer %d %d %lu", pairs, kib, (unsigned long)slowest);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    int pairs = number_of(argc > 1 ? argv[1] : NULL, PAIRS), kibs = number_of(argc > 2 ? argv[2] : NULL, KIBS);
    MUST(WITHIN(pairs, 1, PAIRS + 1) && WITHIN(kibs, 1, KIBS + 1));
    for (int i = 0; i < pairs; i++)
        MUST((buffers[i].slots = umalloc((size_t)kibs * KB * SLOTS)) != NULL);
    for (int i = 0; i < 2 * pairs; i++)
        MUST((objects[i] = umalloc((size_t)kibs * KB)) != NULL);
    for (int n = 1; n <= pairs; n++)
        for (int kib = 1; kib <= kibs; kib++)
            measure(n, kib);
    uprintf("buffer: done");
}
