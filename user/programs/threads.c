/* SPDX-License-Identifier: MIT */
/*
 * threads.c - checks POSIX threads: a counter under a mutex, a queue with two conditions, errno of each thread,
 * pthread_once. arguments: [threads, rounds]; the last line says whether all was right.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST  64
#define SLOTS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned long rounds, counter, wrong, prepared;
static unsigned slot[SLOTS], head, used;

static void prepare(void) { prepared++; }

static void *count(void *number)
{
    pthread_once(&once, prepare);
    for (unsigned long i = 0; i < rounds; i++) {
        errno = (int)(size_t)number + 1000;
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
        if (errno != (int)(size_t)number + 1000)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    }
    return number;
}

static void *produce(void *unused)
{
    for (unsigned long i = 1; i <= rounds; i++) {
        pthread_mutex_lock(&mutex);
        while (used == SLOTS)
            pthread_cond_wait(&emptied, &mutex);
        slot[(head + used++) % SLOTS] = (unsigned)i;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static unsigned long consume(void)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        while (!used)
            pthread_cond_wait(&filled, &mutex);
        sum += slot[head];
        head = (head + 1) % SLOTS;
        used--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&mutex);
    }
    return sum;
}

static int must(const char *what, int error)
{
    if (error) {
        fprintf(stderr, "threads: %s: %s\n", what, strerror(error));
        exit(1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 3;
    pthread_t thread[MOST], producer;
    rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000;
    if (n < 1 || n > MOST)
        must("the number of threads", EINVAL);
    for (size_t i = 0; i < n; i++)
        must("create", pthread_create(&thread[i], NULL, count, (void *)i));
    for (size_t i = 0; i < n; i++) {
        void *result;
        must("join", pthread_join(thread[i], &result));
        wrong += result != (void *)i;
    }
    must("create", pthread_create(&producer, NULL, produce, NULL));
    unsigned long sum = consume();
    must("join", pthread_join(producer, NULL));
    printf("threads: %zu counted to %lu, the queue's sum is %lu, wrong %lu\n", n, counter, sum, wrong);
    if (counter == n * rounds && sum == rounds * (rounds + 1) / 2 && !wrong && prepared == 1) {
        puts("threads: right");
        return 0;
    }
    puts("threads: WRONG");
    return 1;
}
