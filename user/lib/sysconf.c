/* SPDX-License-Identifier: MIT */
/* sysconf.c - sysconf(): what a process has. A limit that is only memory's is -1 without an error. */
#include <amalgam/calls.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "thread.h"

long sysconf(int name)
{
    switch (name) {
    case _SC_VERSION: return _POSIX_VERSION;
    case _SC_PAGESIZE: return PAGE;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return (long)amalgam_info(AMALGAM_INFO_CORES);
    case _SC_OPEN_MAX: return MOST_OPEN;
    case _SC_CLK_TCK: return CLOCKS_PER_SEC;
    case _SC_THREAD_THREADS_MAX: return (long)amalgam_info(AMALGAM_INFO_THREADS);
    case _SC_THREAD_KEYS_MAX: return PTHREAD_KEYS_MAX;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS: return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_THREAD_STACK_MIN: return PTHREAD_STACK_MIN;
    case _SC_THREADS: return _POSIX_THREADS;
    case _SC_BARRIERS:
    case _SC_CLOCK_SELECTION:
    case _SC_READER_WRITER_LOCKS:
    case _SC_SPIN_LOCKS:
    case _SC_TIMEOUTS:
    case _SC_THREAD_ATTR_STACKADDR:
    case _SC_THREAD_ATTR_STACKSIZE:
    case _SC_THREAD_SAFE_FUNCTIONS:
    case _SC_MAPPED_FILES:
    case _SC_MEMORY_PROTECTION: return _POSIX_VERSION;
    case _SC_TIMERS: return _POSIX_TIMERS;
    case _SC_MONOTONIC_CLOCK: return _POSIX_MONOTONIC_CLOCK;
    case _SC_SEMAPHORES: return _POSIX_SEMAPHORES;
    case _SC_SEM_VALUE_MAX: return SEM_VALUE_MAX;
    case _SC_HOST_NAME_MAX: return 31;
    case _SC_ARG_MAX:
    case _SC_ATEXIT_MAX:
    case _SC_SEM_NSEMS_MAX:
    case _SC_THREAD_PRIORITY_SCHEDULING:
    case _SC_THREAD_PROCESS_SHARED:
    case _SC_PRIORITY_SCHEDULING:
    case _SC_STREAM_MAX: return -1;
    default: errno = EINVAL; return -1;
    }
}
