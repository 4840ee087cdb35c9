/* SPDX-License-Identifier: MIT */
/* semaphore.h (host) - the semaphores of user/lib under names of their own, as pthread.h has its threads. */
#ifdef HOST_PTHREAD
#include_next <semaphore.h>
#else
#include <pthread.h> /* the names, behind the types of the host */

#include "../../../user/include/semaphore.h"
#endif
