/* SPDX-License-Identifier: MIT */
/*
 * echo.c - each kernel but core 0's answers messages, and core 0's control console measures with that: `mail 17 100`.
 *
 * The first byte of a message says how both sides wait (enum mail_wait). Marks 3 and 4 are before and after the rounds,
 * for the checker's clocks.
 */
#include <board/scc.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/cache.h>
#include <hal/time.h>
#include <mail/mail.h>

#define ROUNDS_MAX  1000
#define PATIENCE_NS 1000000000ull

static ticks_t patience; /* PATIENCE_NS */

static void echo(void *arg)
{
    enum mail_wait how = MAIL_INTERRUPT;
    while (!mail_handed_over) {
        struct mail m;
        /* A sender that polled and went away must not leave this core polling. */
        if (mail_await(&m, how, how == MAIL_INTERRUPT ? TICKS_NEVER : time_now() + patience)) {
            how = MAIL_INTERRUPT;
            continue;
        }
        how = m.data[0] <= MAIL_ADAPTIVE ? m.data[0] : MAIL_INTERRUPT;
        mail_send(
            m.from, m.data,
            m.bytes); /* without room it is dropped: the sender has not taken two answers and does not need this one */
    }
}

static __init_text void echo_start(void)
{
    patience = time_from_ns(PATIENCE_NS);
    if (!scc_core)
        return;
    struct thread *t = thread_create("echo", 0, PRIO_NORMAL, echo, NULL, NULL, false);
    if (!t)
        panic("mail: no memory for the echo thread");
    thread_start(t);
}
INIT_CALL(echo_start);

/* Send a message with `number` and wait for its answer. *ticks becomes the time. Returns 0 or an error. */
static int round_trip(unsigned core, enum mail_wait how, u8 number, u64 *ticks)
{
    static u8 data[MAIL_BYTES];
    struct mail m;
    data[0] = (u8)how;
    data[1] = number;
    ticks_t start = time_now();
    int err = mail_send(core, data, sizeof(data));
    while (!err) {
        err = mail_await(&m, how, start + patience);
        if (!err && m.from == core && m.bytes == sizeof(data) && m.data[1] == number)
            break;
    }
    *ticks = time_now() - start;
    return err;
}

static const char *parse_number(const char *text, unsigned *value)
{
    while (*text == ' ')
        text++;
    for (*value = 0; *text >= '0' && *text <= '9' && *value < 100000; text++)
        *value = *value * 10 + (unsigned)(*text - '0');
    return text;
}

static int measure(unsigned core, unsigned rounds, enum mail_wait how, const char *name)
{
    u64 least = ~0ull, ticks = 0;
    CACHE_MARK(3);
    for (unsigned i = 0; i < rounds; i++) {
        int err = round_trip(core, how, (u8)i, &ticks);
        if (err) {
            printk("core %u: round %u by %s: error %d\n", core, i, name, err);
            return err;
        }
        least = MIN(least, ticks);
    }
    CACHE_MARK(4);
    printk("mail to core %u and back, %u times by %s: at least %llu ticks\n", core, rounds, name, least);
    return 0;
}

static int cmd_mail(const char *arg)
{
    unsigned core, rounds;
    arg = parse_number(parse_number(arg, &core), &rounds);
    if (*arg || core == 0 || core >= SCC_CORES || rounds == 0 || rounds > ROUNDS_MAX) {
        printk("say mail CORE ROUNDS: a core from 1 to %u, 1 to %u rounds\n", SCC_CORES - 1, ROUNDS_MAX);
        return -EINVAL;
    }
    if (mail_handed_over)
        return -EBUSY;
    int err = measure(core, rounds, MAIL_INTERRUPT, "interrupt");
    if (!err)
        err = measure(core, rounds, MAIL_POLL, "polling");
    return err ? err : measure(core, rounds, MAIL_ADAPTIVE, "either");
}

MONITOR_COMMAND(mail, "mail", "CORE ROUNDS", "send messages to a core's kernel and wait for each answer",
                .run = cmd_mail);
