/* SPDX-License-Identifier: MIT */
/*
 * sys_arch.c - what lwIP stands on: time, threads, mutexes, semaphores and mailboxes, all of POSIX. So it is the same
 * in a process and, for tests, on the host.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "../../lib/lock.h"
#include "lwip/sys.h"

#define MS_PER_S  1000u
#define NS_PER_MS 1000000

u32_t sys_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u32_t)t.tv_sec * MS_PER_S + (u32_t)(t.tv_nsec / NS_PER_MS);
}

static struct timespec in_ms(u32_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / MS_PER_S);
    t.tv_nsec += (long)(ms % MS_PER_S) * NS_PER_MS;
    if (t.tv_nsec >= (long)MS_PER_S * NS_PER_MS) {
        t.tv_sec++;
        t.tv_nsec -= (long)MS_PER_S * NS_PER_MS;
    }
    return t;
}

/* --- the lock of short sections ----------------------------------------------------------------------------------- */

static uint32_t sections;
static _Thread_local unsigned depth; /* how often this thread has taken it */

void sys_init(void) {}

sys_prot_t sys_arch_protect(void)
{
    if (!depth++)
        lock_take(&sections);
    return 0;
}

void sys_arch_unprotect(sys_prot_t before)
{
    (void)before;
    if (!--depth)
        lock_drop(&sections);
}

/* --- mutexes and threads ------------------------------------------------------------------------------------------ */

err_t sys_mutex_new(sys_mutex_t *m)
{
    *m = 0;
    return ERR_OK;
}

void sys_mutex_lock(sys_mutex_t *m) { lock_take(m); }
void sys_mutex_unlock(sys_mutex_t *m) { lock_drop(m); }
void sys_mutex_free(sys_mutex_t *m) { (void)m; }

struct beginning {
    lwip_thread_fn function;
    void *argument;
};

static void *begin(void *beginning)
{
    struct beginning b = *(struct beginning *)beginning;
    free(beginning);
    b.function(b.argument);
    return NULL;
}

/* lwIP cannot go on without a thread that it asks for. net_start() has made sure that there is one. */
sys_thread_t sys_thread_new(const char *name, lwip_thread_fn function, void *argument, int stack, int priority)
{
    pthread_attr_t attr;
    pthread_t thread;
    struct beginning *b = malloc(sizeof *b);
    (void)name, (void)priority;
    if (!b)
        net_broken("no memory for a thread", __LINE__, __FILE__);
    *b = (struct beginning){ function, argument };
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)stack);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attr, begin, b))
        net_broken("no thread: `threads` or `memory` in the system file is too small", __LINE__, __FILE__);
    pthread_attr_destroy(&attr);
    return thread;
}

/* --- semaphores --------------------------------------------------------------------------------------------------- */

err_t sys_sem_new(sys_sem_t *s, u8_t count)
{
    *s = malloc(sizeof **s);
    return *s && !sem_init(*s, 0, count) ? ERR_OK : ERR_MEM;
}

void sys_sem_free(sys_sem_t *s)
{
    sem_destroy(*s);
    free(*s);
}

void sys_sem_signal(sys_sem_t *s) { sem_post(*s); }

/* A signal's handler that ran meanwhile ends no wait. */
u32_t sys_arch_sem_wait(sys_sem_t *s, u32_t ms)
{
    struct timespec until = in_ms(ms);
    while (ms ? sem_clockwait(*s, CLOCK_MONOTONIC, &until) : sem_wait(*s))
        if (errno == ETIMEDOUT)
            return SYS_ARCH_TIMEOUT;
    return 0;
}

sys_sem_t *net_thread_sem(void)
{
    static _Thread_local sem_t own; /* zeros are a semaphore of 0 */
    static _Thread_local sys_sem_t pointer;
    pointer = &own;
    return &pointer;
}

/* --- mailboxes ---------------------------------------------------------------------------------------------------- */

struct net_mbox {
    pthread_mutex_t lock;
    pthread_cond_t some, room;
    unsigned size, first, n;
    void *message[];
};

err_t sys_mbox_new(sys_mbox_t *m, int size)
{
    pthread_condattr_t monotonic;
    *m = calloc(1, sizeof **m + (size_t)size * sizeof(void *));
    if (!*m)
        return ERR_MEM;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&(*m)->lock, NULL);
    pthread_cond_init(&(*m)->some, &monotonic);
    pthread_cond_init(&(*m)->room, NULL);
    pthread_condattr_destroy(&monotonic);
    (*m)->size = (unsigned)size;
    return ERR_OK;
}

void sys_mbox_free(sys_mbox_t *m)
{
    pthread_cond_destroy(&(*m)->some);
    pthread_cond_destroy(&(*m)->room);
    pthread_mutex_destroy(&(*m)->lock);
    free(*m);
}

/* With the lock. */
static void put(struct net_mbox *m, void *message)
{
    m->message[(m->first + m->n++) % m->size] = message;
    pthread_cond_signal(&m->some);
}

static void *take(struct net_mbox *m)
{
    void *message = m->message[m->first];
    m->first = (m->first + 1) % m->size;
    m->n--;
    pthread_cond_signal(&m->room);
    return message;
}

void sys_mbox_post(sys_mbox_t *m, void *message)
{
    pthread_mutex_lock(&(*m)->lock);
    while ((*m)->n == (*m)->size)
        pthread_cond_wait(&(*m)->room, &(*m)->lock);
    put(*m, message);
    pthread_mutex_unlock(&(*m)->lock);
}

err_t sys_mbox_trypost(sys_mbox_t *m, void *message)
{
    pthread_mutex_lock(&(*m)->lock);
    bool full = (*m)->n == (*m)->size;
    if (!full)
        put(*m, message);
    pthread_mutex_unlock(&(*m)->lock);
    return full ? ERR_MEM : ERR_OK;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *m, void *message) { return sys_mbox_trypost(m, message); }

u32_t sys_arch_mbox_fetch(sys_mbox_t *m, void **message, u32_t ms)
{
    struct timespec until = { 0, 0 };
    int late = 0;
    if (ms)
        until = in_ms(ms);
    pthread_mutex_lock(&(*m)->lock);
    while (!(*m)->n && !late)
        late =
            ms ? pthread_cond_timedwait(&(*m)->some, &(*m)->lock, &until) : pthread_cond_wait(&(*m)->some, &(*m)->lock);
    void *got = (*m)->n ? take(*m) : NULL;
    pthread_mutex_unlock(&(*m)->lock);
    if (message)
        *message = got;
    return late && !got ? SYS_ARCH_TIMEOUT : 0;
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *m, void **message)
{
    pthread_mutex_lock(&(*m)->lock);
    bool some = (*m)->n;
    void *got = some ? take(*m) : NULL;
    pthread_mutex_unlock(&(*m)->lock);
    if (message)
        *message = got;
    return some ? 0 : SYS_MBOX_EMPTY;
}
