/* SPDX-License-Identifier: MIT */
/* signal.c - handlers of signals: amalgam/signal.h. Kernel and upcall.c save all registers, so that a handler is a
 * function like any other. */
#include <errno.h>
#include <stddef.h>

#include "thread.h"
#include "upcall.h"

static amalgam_handler *handler[AMALGAM_SIGNALS];

static void raise_late(struct amalgam_thread *self)
{
    uint32_t late = __atomic_exchange_n(&self->late, 0, __ATOMIC_RELAXED);
    for (uint32_t signal = 0; late >> signal; signal++)
        if (late >> signal & 1)
            amalgam_signal_send((uint32_t)amalgam_thread_self(), signal);
}

int amalgam_signal(int signal, amalgam_handler *function)
{
    if (signal < 0 || signal >= AMALGAM_SIGNALS)
        return -AMALGAM_EINVAL;
    signals_late = raise_late;
    __atomic_store_n(&handler[signal], function, __ATOMIC_RELEASE);
    return (int)amalgam_signal_entry(signal_upcall);
}

/* Handlers may be held back (thread.h). */
_Noreturn void signal_handle(int signal, struct amalgam_frame *frame)
{
    struct amalgam_thread *self = thread_self();
    if (__atomic_load_n(&self->holds, __ATOMIC_RELAXED)) {
        __atomic_fetch_or(&self->late, 1u << signal, __ATOMIC_RELAXED);
        signal_continue(frame);
    }
    int error = errno;
    amalgam_handler *function = __atomic_load_n(&handler[signal], __ATOMIC_ACQUIRE);
    if (function) {
        thread_self()->signals.handled++;
        frame = function(signal, frame);
    }
    errno = error;
    signal_continue(frame);
}
