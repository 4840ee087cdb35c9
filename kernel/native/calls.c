/* SPDX-License-Identifier: MIT */
/* calls.c - the functions that a native program may call (native/calls.h), and its information about the board. */
#include <board/scc.h>
#include <core/console.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/time.h>
#include <mail/mail.h>
#include <string.h>

#include "native.h"

#define WRITE_MOST 4096u

static void NATIVE_CALL write(const char *text, u32 bytes)
{
    console_write(thread_self()->domain->id, text, MIN(bytes, WRITE_MOST));
}

/* End the thread. It is still on the program's stack, which is not freed before the thread was joined. */
static __noreturn void leave(void)
{
    domain_thread_gone(thread_self()->domain);
    thread_exit();
}

static void end_if_stopped(void)
{
    if (READ_ONCE(thread_self()->stop))
        leave();
}

static void NATIVE_CALL rest(void)
{
    end_if_stopped();
    thread_sleep_ns(NATIVE_REST_NS);
}

/* All cores that were chosen have met before a shared program begins (share.c). That a kernel has ended since is no
 * answer here, because each thread asks at its own moment. */
static bool NATIVE_CALL up(u32 core) { return scc_chosen(core); }

static void NATIVE_CALL end(int status)
{
    domain_end(thread_self()->domain, END_DONE, "exit status %u", (unsigned)status & 0xff);
    leave();
}

static u32 NATIVE_CALL lost(void)
{
    const struct native *p = thread_self()->domain->impl;
    end_if_stopped();
    return native_find_lost(&p->calls);
}

static void NATIVE_CALL thread_pointer(void *at) { thread_pointer_set(at); }

void native_calls_init(struct native *p)
{
    memset(p->met, 0, sizeof(p->met));
    p->calls = (struct native_calls){
        .version = NATIVE_VERSION,
        .core = scc_core,
        .cores = SCC_CORES,
        .khz = (u32)(time_hz / 1000),
        .mpb = scc_mpb(0),
        .mpb_size = SCC_MPB_SIZE,
        .mpb_kernel = MAIL_MPB_BYTES,
        .shared = native_shared(p),
        .shared_size = sys_process(p->domain->conf)->shared_pages * PAGE_SIZE,
        .write = write,
        .rest = rest,
        .up = up,
        .exit = end,
        .line = (volatile u32 *)(SCC_SVM_LINES + scc_core * 32),
        .thread_pointer = thread_pointer,
        .lost = lost,
        .kernels = scc_shared()->up,
        .met = p->met,
    };
}
