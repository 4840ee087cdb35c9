/* SPDX-License-Identifier: MIT */
/* threads.h - threads of C11 (7.26): those of pthread.h under other names, so that both may be mixed. */
#ifndef AMALGAM_THREADS_H
#define AMALGAM_THREADS_H

#include <limits.h>
#include <pthread.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#elif __STDC_VERSION__ < 202311L
#define thread_local _Thread_local
#endif

typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_key_t tss_t;
typedef pthread_once_t once_flag;
typedef int (*thrd_start_t)(void *);
typedef void (*tss_dtor_t)(void *);

#define ONCE_FLAG_INIT      PTHREAD_ONCE_INIT
#define TSS_DTOR_ITERATIONS PTHREAD_DESTRUCTOR_ITERATIONS

enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };
/* What functions return, unless they say otherwise. */
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };

int thrd_create(thrd_t *thread, thrd_start_t start, void *arg);
thrd_t thrd_current(void);
int thrd_detach(thrd_t thread);
int thrd_equal(thrd_t a, thrd_t b); /* not 0: they are one */
_Noreturn void thrd_exit(int result);
int thrd_join(thrd_t thread, int *result);
/* Returns 0; -1: a signal came, and *left is what is left; -2: `time` is no time. */
int thrd_sleep(const struct timespec *time, struct timespec *left);
void thrd_yield(void);

/* thrd_error: `type` is none of mtx_plain, mtx_timed, and these with mtx_recursive. */
int mtx_init(mtx_t *m, int type);
void mtx_destroy(mtx_t *m);
int mtx_lock(mtx_t *m);
int mtx_timedlock(mtx_t *__restrict m, const struct timespec *__restrict until); /* of TIME_UTC */
int mtx_trylock(mtx_t *m);
int mtx_unlock(mtx_t *m);

int cnd_init(cnd_t *c);
void cnd_destroy(cnd_t *c);
int cnd_wait(cnd_t *c, mtx_t *m);
int cnd_timedwait(cnd_t *__restrict c, mtx_t *__restrict m, const struct timespec *__restrict until);
int cnd_signal(cnd_t *c);
int cnd_broadcast(cnd_t *c);

int tss_create(tss_t *key, tss_dtor_t destructor);
void tss_delete(tss_t key);
void *tss_get(tss_t key);
int tss_set(tss_t key, void *value);

void call_once(once_flag *once, void (*function)(void));

#ifdef __cplusplus
}
#endif
#endif
