/* SPDX-License-Identifier: MIT */
/* c11_mtx.c - threads.h: mutexes and conditions. */
#include <errno.h>
#include <threads.h>

static int status(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}

int mtx_init(mtx_t *m, int type)
{
    if (type & ~(mtx_recursive | mtx_timed))
        return thrd_error;
    *m = (mtx_t){ .kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL };
    return thrd_success;
}

void mtx_destroy(mtx_t *m) { pthread_mutex_destroy(m); }
int mtx_lock(mtx_t *m) { return status(pthread_mutex_lock(m)); }
int mtx_timedlock(mtx_t *m, const struct timespec *until) { return status(pthread_mutex_timedlock(m, until)); }
int mtx_trylock(mtx_t *m) { return status(pthread_mutex_trylock(m)); }
int mtx_unlock(mtx_t *m) { return status(pthread_mutex_unlock(m)); }

int cnd_init(cnd_t *c) { return status(pthread_cond_init(c, NULL)); }
void cnd_destroy(cnd_t *c) { pthread_cond_destroy(c); }
int cnd_wait(cnd_t *c, mtx_t *m) { return status(pthread_cond_wait(c, m)); }
int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    return status(pthread_cond_timedwait(c, m, until));
}
int cnd_signal(cnd_t *c) { return status(pthread_cond_signal(c)); }
int cnd_broadcast(cnd_t *c) { return status(pthread_cond_broadcast(c)); }
