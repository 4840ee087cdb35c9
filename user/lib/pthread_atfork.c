/* SPDX-License-Identifier: MIT */
/* pthread_atfork.c - pthread_atfork(), for libraries that call it: a process has no fork(). */
#include <pthread.h>

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare, (void)parent, (void)child;
    return 0;
}
