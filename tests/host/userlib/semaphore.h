/* SPDX-License-Identifier: MIT */
/* semaphore.h (host) - the semaphores of user/lib under names of their own, as pthread.h has its threads. */
#ifdef HOST_PTHREAD
#include_next <semaphore.h>
#else
#include <generated/user_names.h>

#include "../../../user/include/semaphore.h"
#endif
