/* SPDX-License-Identifier: MIT */
/*
 * mail_wrong.c - calls for mail with right and wrong arguments, of a process that runs on cores 0 and 47. Its first
 * life leaves two messages to itself; the second one must not find them, and waits for ever; and so on. With an
 * argument it is a process that has no mail.
 */
#include <amalgam/scc.h>
#include <amalgam/signal.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LIVES   ((volatile unsigned *)0xde100000) /* memory that no start clears: kernel/include/process/chip.h */
#define KERNELS ((void *)0x80101000)              /* an address of the kernel's */

static int wrong;
static char data[64];

#define EXPECT(call, result)                                                                                           \
    do {                                                                                                               \
        long got_ = (long)(call);                                                                                      \
        if (got_ != (result)) {                                                                                        \
            printf("wrong: %s is %ld\n", #call, got_);                                                                 \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

static int64_t look(void *to) { return amalgam_mail_receive(to, AMALGAM_MAIL_RECEIVE_POLL, 0); }

static void look_for_ever(void)
{
    int64_t from = amalgam_mail_receive(data, AMALGAM_MAIL_RECEIVE_INTERRUPT, UINT64_MAX);
    printf("mail_wrong: woken with %d\n", (int)from);
}

static void *listen(void *unused)
{
    EXPECT(amalgam_mail_receive(data, AMALGAM_MAIL_RECEIVE_INTERRUPT, UINT64_MAX), 1);
    return unused;
}

static void two_threads(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, listen, NULL);
    amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000);
    EXPECT(look(data), -AMALGAM_EBUSY);
    EXPECT(amalgam_mail_send(0, "x", 1), 0);
    pthread_join(thread, NULL);
}

static void without_mail(void)
{
    EXPECT(amalgam_mail_send_sync(AMALGAM_MAIL_TO(0, 1, 0), "x", 0), -AMALGAM_EPERM);
    EXPECT(amalgam_mail_send(0, "x", 1), -AMALGAM_EPERM);
    EXPECT(look(data), -AMALGAM_EPERM);
}

static uint64_t soon(void) { return (uint64_t)amalgam_clock() + 3000000; }
static uint64_t late(void) { return (uint64_t)amalgam_clock() + 1000000000; }

static long sync_send(unsigned core, const void *from, unsigned n, unsigned how, uint64_t deadline)
{
    return (long)amalgam_mail_send_sync(AMALGAM_MAIL_TO(core, n, how), from, deadline);
}

static void *take_two_later(void *unused)
{
    amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000);
    EXPECT(look(data), 1);
    amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000);
    EXPECT(look(data), 1);
    return unused;
}

/* To this core. */
static void synchronous(void)
{
    pthread_t thread;
    EXPECT(sync_send(1, "x", 1, 0, soon()), -AMALGAM_EPERM);
    EXPECT(sync_send(48, "x", 1, 0, soon()), -AMALGAM_EPERM);
    EXPECT(sync_send(0, "x", 0, 0, soon()), -AMALGAM_EINVAL);
    EXPECT(sync_send(0, data, 29, 1, soon()), -AMALGAM_EINVAL);
    EXPECT(sync_send(0, "x", 1, 3, soon()), -AMALGAM_ERANGE);
    EXPECT(sync_send(0, "x", 1, 1, UINT64_MAX), -AMALGAM_EINVAL);
    EXPECT(sync_send(0, NULL, 1, 1, soon()), -AMALGAM_EFAULT);
    EXPECT(sync_send(0, KERNELS, 28, 1, soon()), -AMALGAM_EFAULT);
    for (unsigned how = AMALGAM_MAIL_RECEIVE_POLL; how <= AMALGAM_MAIL_RECEIVE_ADAPTIVE; how++) {
        EXPECT(sync_send(0, "x", 1, how, soon()), -AMALGAM_ETIMEDOUT);
        EXPECT(sync_send(0, "x", 1, how, soon()), -AMALGAM_ETIMEDOUT);
        EXPECT(sync_send(0, "x", 1, how, soon()), -AMALGAM_EAGAIN);
        EXPECT(look(data), 1);
        EXPECT(look(data), 1);
        EXPECT(look(data), -AMALGAM_ETIMEDOUT);
        pthread_create(&thread, NULL, take_two_later, NULL);
        EXPECT(sync_send(0, "x", 1, how, late()), 0);
        EXPECT(sync_send(0, "x", 1, how, late()), 0);
        pthread_join(thread, NULL);
    }
}

static struct amalgam_frame *note(int signal, struct amalgam_frame *frame)
{
    (void)signal;
    return frame;
}

static uint32_t wants;

/* Wait in each way, and for room: a signal ends it. */
static void *called(void *unused)
{
    for (unsigned how = AMALGAM_MAIL_RECEIVE_POLL; how <= AMALGAM_MAIL_RECEIVE_ADAPTIVE; how++) {
        __atomic_store_n(&wants, how + 1, __ATOMIC_RELEASE);
        EXPECT(amalgam_mail_receive(data, how, UINT64_MAX), -AMALGAM_EINTR);
    }
    EXPECT(amalgam_mail_send(0, "first", 5), 0);
    EXPECT(amalgam_mail_send(0, "second", 6), 0);
    __atomic_store_n(&wants, 4, __ATOMIC_RELEASE);
    EXPECT(sync_send(0, "third", 5, AMALGAM_MAIL_RECEIVE_INTERRUPT, late()), -AMALGAM_EINTR);
    return unused;
}

static void signals(void)
{
    pthread_t thread;
    EXPECT(amalgam_signal(3, note), 0);
    EXPECT(pthread_create(&thread, NULL, called, NULL), 0);
    for (unsigned n = 1; n <= 4; n++) {
        while (__atomic_load_n(&wants, __ATOMIC_ACQUIRE) != n)
            amalgam_sleep_until((uint64_t)amalgam_clock() + 100000);
        amalgam_sleep_until((uint64_t)amalgam_clock() + 20000000); /* it waits by now, a turn later at most */
        EXPECT(amalgam_signal_send(1, 3), 0);
    }
    pthread_join(thread, NULL);
    EXPECT(look(data), 5);
    EXPECT(look(data), 6);
    EXPECT(look(data), -AMALGAM_ETIMEDOUT);
}

static void all(void)
{
    EXPECT(amalgam_mail_core(), 0);
    EXPECT(amalgam_mail_send(1, "x", 1), -AMALGAM_EPERM);
    EXPECT(amalgam_mail_send(48, "x", 1), -AMALGAM_EPERM);
    EXPECT(amalgam_mail_send(65536, "x", 1), -AMALGAM_ERANGE);
    EXPECT(amalgam_mail_send(0, "x", 0), -AMALGAM_EINVAL);
    EXPECT(amalgam_mail_send(0, data, 29), -AMALGAM_EINVAL);
    EXPECT(amalgam_mail_send(0, NULL, 1), -AMALGAM_EFAULT);
    EXPECT(amalgam_mail_send(0, KERNELS, 28), -AMALGAM_EFAULT);
    EXPECT(look(data), -AMALGAM_ETIMEDOUT);
    EXPECT(amalgam_mail_receive(data, 3, 0), -AMALGAM_ERANGE);
    EXPECT(amalgam_mail_receive(data, AMALGAM_MAIL_RECEIVE_ADAPTIVE, (uint64_t)amalgam_clock() + 1000),
           -AMALGAM_ETIMEDOUT);
    EXPECT(amalgam_mail_send(0, "first", 5), 0);
    EXPECT(amalgam_mail_send(0, "second", 6), 0);
    EXPECT(amalgam_mail_send(0, "third", 5), -AMALGAM_EAGAIN);
    EXPECT(look(data), 5);
    EXPECT(memcmp(data, "first", 5), 0);
    EXPECT(look(KERNELS), -AMALGAM_EFAULT);
    EXPECT(look(data), -AMALGAM_ETIMEDOUT);
    two_threads();
    synchronous();
    signals();
    EXPECT(amalgam_mail_send(0, "left", 4), 0);
    EXPECT(amalgam_mail_send(0, "left", 4), 0);
}

int main(int argc, char **argv)
{
    unsigned life = argc > 1 ? 0 : (*LIVES)++ % 2;
    if (argc > 1)
        without_mail();
    else if (!life)
        all();
    else
        EXPECT(look(data), -AMALGAM_ETIMEDOUT);
    printf("mail_wrong: life %u, %d wrong\n", life, wrong);
    if (life)
        look_for_ever();
    return wrong != 0;
}
