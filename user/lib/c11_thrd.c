/* SPDX-License-Identifier: MIT */
/* c11_thrd.c - threads.h: threads, their values, and call_once(). */
#include <errno.h>
#include <stdlib.h>
#include <threads.h>

struct start {
    thrd_start_t function;
    void *arg;
};

static int status(int error) { return !error ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error; }

static void *run(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    return (void *)(intptr_t)start.function(start.arg);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *arg)
{
    struct start *start = malloc(sizeof(*start));
    if (!start)
        return thrd_nomem;
    *start = (struct start){ function, arg };
    int error = pthread_create(thread, NULL, run, start);
    if (error)
        free(start);
    return status(error);
}

thrd_t thrd_current(void) { return pthread_self(); }
int thrd_detach(thrd_t thread) { return status(pthread_detach(thread)); }
int thrd_equal(thrd_t a, thrd_t b) { return pthread_equal(a, b); }
_Noreturn void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }
void thrd_yield(void) { sched_yield(); }

int thrd_join(thrd_t thread, int *result)
{
    void *value;
    int error = pthread_join(thread, &value);
    if (!error && result)
        *result = (int)(intptr_t)value;
    return status(error);
}

int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return !nanosleep(time, left) ? 0 : errno == EINTR ? -1 : -2;
}

int tss_create(tss_t *key, tss_dtor_t destructor) { return status(pthread_key_create(key, destructor)); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return status(pthread_setspecific(key, value)); }

void call_once(once_flag *once, void (*function)(void)) { pthread_once(once, function); }
