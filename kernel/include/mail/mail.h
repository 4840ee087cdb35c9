/* SPDX-License-Identifier: MIT */
/*
 * mail/mail.h - short messages between the kernels of an SCC (MetalSVM paper, III.C).
 *
 * A message is one line of 32 bytes in the receiver's message passing buffer: up to MAIL_BYTES of data and a word with
 * their number. Each sender has MAIL_SLOTS lines in each receiver's buffer, so two kernels never write one line, and
 * messages of one sender stay in order. Last, the sender sets its bit in the receiver's word of senders, which the
 * receiver polls: it names the sender.
 *
 * A kernel has one receiver at a time: the thread that calls mail_receive() or mail_await(). Any thread may send,
 * and return at once (asynchronous) or when the receiver has taken the message (synchronous).
 *
 * A request is a message that the receiver's interrupt handles at once, whatever runs there. Each sender has a separate
 * line for it at each receiver. It is for a part of the kernel that answers by itself (svm/).
 *
 * Other kernels are not trusted: a line with a wrong word is dropped and counted.
 */
#ifndef AMALGAM_MAIL_H
#define AMALGAM_MAIL_H

#include <types.h>

#define MAIL_BYTES 28
#define MAIL_SLOTS 2 /* messages from one sender that one receiver has not taken yet */
/* Bytes of each core's message passing buffer for this, from its start: lines for 48 senders. */
#define MAIL_MPB_BYTES (32u * MAIL_SLOTS * 48)

struct mail {
    u8 data[MAIL_BYTES] __aligned(4); /* copied in words */
    u8 from, bytes;
};

/* How a receiver waits: it polls; it sleeps until the sender interrupts it; or it polls MAIL_LOOKS times and then
 * sleeps. */
enum mail_wait { MAIL_POLL, MAIL_INTERRUPT, MAIL_ADAPTIVE };
#define MAIL_LOOKS 1000

/*
 * Send `bytes` of `data` to core `to`, and interrupt it if it asked for that. Does not wait. Returns 0; -EINVAL: no
 * such core, or not 1 to MAIL_BYTES; -ENODEV: no kernel runs there; -EAGAIN: MAIL_SLOTS messages of this kernel have
 * not been taken yet. Any context.
 */
int mail_send(unsigned to, const void *data, unsigned bytes);
/* The same, but wait until the receiver has taken the message. `how` is how this thread waits. Returns 0; -EINVAL, also
 * for a deadline of TICKS_NEVER; -ENODEV: no kernel runs there, or no longer; -EAGAIN: there was no room until
 * `deadline`; -EINTR: nor until the thread's program had a signal to take; -ETIMEDOUT: sent and not taken until
 * `deadline`; -ECANCELED: the thread was asked to end. After the last two, and -ENODEV of a kernel that has ended, the
 * message may still be taken. Thread context, interrupts on. */
int mail_send_sync(unsigned to, const void *data, unsigned bytes, enum mail_wait how, ticks_t deadline);
/* Take the next message; senders take turns. Returns 0, or -EAGAIN: there is none. The receiver's thread. */
int mail_receive(struct mail *m);
/* The same, but wait until `deadline` (TICKS_NEVER: no limit). Returns 0, -ETIMEDOUT, -EINTR: its program has
 * a signal to take, or -ECANCELED: the thread was asked to end. Thread context, interrupts on. */
int mail_await(struct mail *m, enum mail_wait how, ticks_t deadline);
/* A process's threads receive here, and never the thread that answers the control console's messages. Boot, while no
 * other thread runs. */
void mail_hand_over(void);
extern bool mail_handed_over; /* so the kernel's own threads receive nothing any more */
/* Send a request and interrupt the receiver. Returns as mail_send(); -EAGAIN: the last request has not been taken
 * yet. Any context. */
int mail_request(unsigned to, const void *data, unsigned bytes);
/* Set the function that handles requests to this kernel, in interrupt context with interrupts off. Without one they
 * are dropped. Boot. */
void mail_serve(void (*serve)(const struct mail *m));
/* Returns the number of lines that were dropped since boot. */
u32 mail_dropped(void);

#endif
