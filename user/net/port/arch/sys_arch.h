/* SPDX-License-Identifier: MIT */
/* arch/sys_arch.h - lwIP's threads, mutexes, semaphores and mailboxes (sys_arch.c). */
#ifndef AMALGAM_NET_SYS_ARCH_H
#define AMALGAM_NET_SYS_ARCH_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

/* A semaphore of lwIP is a pointer, so that there may be none; each thread has one of its own for its calls. */
typedef sem_t *sys_sem_t;
typedef uint32_t sys_mutex_t; /* user/lib/lock.h */
typedef pthread_t sys_thread_t;
typedef int sys_prot_t;

/* A ring of messages with a bound. */
struct net_mbox;
typedef struct net_mbox *sys_mbox_t;

#define sys_sem_valid(s)           (*(s) != NULL)
#define sys_sem_valid_val(s)       ((s) != NULL)
#define sys_sem_set_invalid(s)     (*(s) = NULL)
#define sys_sem_set_invalid_val(s) ((s) = NULL)
#define sys_mutex_valid(m)         true
#define sys_mutex_set_invalid(m)
#define sys_mbox_valid(m)           (*(m) != NULL)
#define sys_mbox_valid_val(m)       ((m) != NULL)
#define sys_mbox_set_invalid(m)     (*(m) = NULL)
#define sys_mbox_set_invalid_val(m) ((m) = NULL)

sys_sem_t *net_thread_sem(void);
#define LWIP_NETCONN_THREAD_SEM_GET() net_thread_sem()
#define LWIP_NETCONN_THREAD_SEM_ALLOC()
#define LWIP_NETCONN_THREAD_SEM_FREE()

#endif
