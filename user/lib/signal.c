/* SPDX-License-Identifier: MIT */
/* signal.c - handlers of signals: amalgam/signal.h. Kernel and upcall.c save all registers, so that a handler is a
 * function like any other. */
#include <errno.h>
#include <stddef.h>

#include "thread.h"
#include "upcall.h"

static amalgam_handler *handler[AMALGAM_SIGNALS];

int amalgam_signal(int signal, amalgam_handler *function)
{
    if (signal < 0 || signal >= AMALGAM_SIGNALS)
        return -AMALGAM_EINVAL;
    __atomic_store_n(&handler[signal], function, __ATOMIC_RELEASE);
    return (int)amalgam_signal_entry(signal_upcall);
}

_Noreturn void signal_handle(int signal, struct amalgam_frame *frame)
{
    int error = errno;
    amalgam_handler *function = __atomic_load_n(&handler[signal], __ATOMIC_ACQUIRE);
    if (function) {
        thread_self()->signals.handled++;
        frame = function(signal, frame);
    }
    errno = error;
    signal_continue(frame);
}
