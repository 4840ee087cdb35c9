/* SPDX-License-Identifier: MIT */
/* sigdeliver.c - a thread takes its signals: signals.h. */
#include <amalgam/signal.h>
#include <unistd.h>

#include "cancel.h"
#include "context.h"
#include "signals.h"

uint32_t signals_open[NUMBERS] = { ALL }; /* the first thread blocks none */
uint32_t signals_awaited[NUMBERS], signals_word[NUMBERS], signals_of_process;

/* Take a signal off those that are pending and open. Returns 0 if there is none. */
static int claim(void)
{
    struct thread_signals *self = &thread_self()->signals;
    for (;;) {
        uint32_t open = *own_open(), own = signals_load(&self->pending) & open;
        uint32_t found = own ? own : signals_load(&signals_of_process) & open;
        if (!found)
            return 0;
        uint32_t bit = found & -found;
        if (__atomic_fetch_and(own ? &self->pending : &signals_of_process, ~bit, __ATOMIC_SEQ_CST) & bit)
            return __builtin_ctz(bit);
    }
}

/* As abort() ends: the kernel stops the process and prints this address, and `restart: [fault]` applies. */
__attribute__((noinline)) static _Noreturn void die(void)
{
    console_flush();
    __builtin_trap();
}

__attribute__((weak)) char *signals_alternate(void) { return NULL; }

struct taken {
    int signal;
    const struct sigaction *action;
};

static void call_handler(void *arg)
{
    const struct taken *taken = arg;
    const struct sigaction *action = taken->action;
    if (action->sa_flags & SA_SIGINFO) {
        siginfo_t info = { .si_signo = taken->signal, .si_code = SI_USER, .si_pid = getpid() };
        action->sa_sigaction(taken->signal, &info, NULL);
    } else {
        action->sa_handler(taken->signal);
    }
}

static void call(int signal, const struct sigaction *action)
{
    struct taken taken = { signal, action };
    char *stack = action->sa_flags & SA_ONSTACK ? signals_alternate() : NULL;
    void *point = cancel_hooks ? cancel_hooks->suspend() : NULL;
    thread_self()->signals.handled++;
    if (stack)
        context_call(stack, call_handler, &taken);
    else
        call_handler(&taken);
    if (cancel_hooks)
        cancel_hooks->resume(point);
}

/* Do what the signal's action is. `upcall`: the kernel holds other signals back. Returns whether a handler ran. */
static bool act(int signal, bool upcall)
{
    uint32_t *open = own_open(), before = *open;
    signals_store(open, 0);
    bool ignored = action_ignores(signal);
    struct sigaction action = action_take(signal);
    uint32_t blocked = (uint32_t)action.sa_mask | (action.sa_flags & SA_NODEFER ? 0 : signal_bit(signal));
    if (ignored || action.sa_handler == SIG_IGN) {
        signals_store(open, before);
        return false;
    }
    if (action.sa_handler == SIG_DFL)
        die();
    if (upcall)
        amalgam_signal_return(RESUME);
    signals_set_open(before & (~blocked | ALWAYS_OPEN));
    call(signal, &action);
    if (upcall)
        amalgam_signal_return(HOLD);
    signals_store(open, before);
    return true;
}

static bool deliver(bool upcall)
{
    bool ran = false;
    for (int signal; (signal = claim());)
        ran |= act(signal, upcall);
    return ran;
}

bool signals_deliver(void) { return deliver(false); }

void signals_set_open(uint32_t open)
{
    signals_store(own_open(), open);
    deliver(false);
}

/* A signal of the process that has come to a thread which blocks it by now is another one's. */
struct amalgam_frame *signals_look(int signal, struct amalgam_frame *frame)
{
    (void)signal;
    if (!deliver(true))
        thread_self()->signals.handled--; /* signal.c has counted this; a sleep goes on */
    signals_offer(signals_load(&signals_of_process) & ~*own_open());
    if (cancel_hooks)
        cancel_hooks->look();
    return frame;
}

struct amalgam_frame *signals_arrive(int signal, struct amalgam_frame *frame)
{
    uint32_t *to = signal == SIGALRM ? &signals_of_process : &thread_self()->signals.pending;
    __atomic_fetch_or(to, signal_bit(signal), __ATOMIC_SEQ_CST);
    return signals_look(LOOK, frame);
}

static void prepare(struct amalgam_thread *t)
{
    t->signals = (struct thread_signals){ .number = NOT_BEGUN, .open = *own_open() };
}

static void begin(struct amalgam_thread *self)
{
    uint32_t number = (uint32_t)amalgam_thread_self();
    __atomic_store_n(&self->signals.number, number, __ATOMIC_SEQ_CST);
    signals_set_open(self->signals.open);
}

/* What was sent to the thread is lost with it; what it might have taken of the process's goes to another one. */
static void end(struct amalgam_thread *self)
{
    uint32_t *open = own_open();
    __atomic_store_n(&self->signals.number, ENDED, __ATOMIC_SEQ_CST);
    signals_store(open, 0);
    signals_offer(signals_load(&signals_of_process));
}

static const struct signal_hooks own = { prepare, begin, end };
const struct signal_hooks *const signal_hooks = &own;
