/* SPDX-License-Identifier: MIT */
/*
 * pthread.h (host) - the threads of user/lib under names of their own, beside those of the host's C library, on which
 * they stand here (calls.c, which defines HOST_PTHREAD).
 */
#ifdef HOST_PTHREAD
#include_next <pthread.h>
#else
#ifndef AMALGAM_HOST_PTHREAD_H
#define AMALGAM_HOST_PTHREAD_H

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

#include <generated/user_names.h> /* of user/include/pthread.h */

#include "../../../user/include/pthread.h"

/* thread.h defines thread_self(void), which reads the processor's register; thread_self() is the host's. */
#define thread_self(nothing) HOST_SELF_##nothing
#define HOST_SELF_           host_self()
#define HOST_SELF_void       host_unused_self(void)
struct amalgam_thread *host_self(void);

#endif
#endif
