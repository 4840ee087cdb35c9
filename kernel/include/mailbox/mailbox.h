/* SPDX-License-Identifier: MIT */
/*
 * mailbox/mailbox.h - short messages between the kernels of an SCC (MetalSVM paper, III.C).
 *
 * A message is one line of 32 bytes in the receiver's message passing buffer: up to MAIL_BYTES of data and a word
 * that says how many. Each sender has MAIL_SLOTS lines in each receiver's buffer, so no two kernels write one line at a
 * time, and messages of one sender stay in their order. The sender sets its bit in the receiver's word of senders last:
 * that is what a receiver polls, and it names the origin.
 *
 * A kernel has one receiver at a time: the thread that calls mailbox_receive() or mailbox_wait(). Any thread may send.
 *
 * A request is a message that the receiver's interrupt serves at once, whatever runs there: each sender has one line
 * for it at each receiver, apart from the others. It is for a part of the kernel that answers by itself (svm/).
 *
 * What arrives is the other kernels' word: a line whose word is wrong is dropped and counted.
 */
#ifndef AMALGAM_MAILBOX_H
#define AMALGAM_MAILBOX_H

#include <types.h>

#define MAIL_BYTES 28
#define MAIL_SLOTS 2 /* messages from one sender on their way to one receiver */
/* What it has of each core's message passing buffer, from its start on: lines for 48 senders. */
#define MAILBOX_MPB_BYTES (32u * MAIL_SLOTS * 48)

struct mail {
    u8 from, bytes;
    u8 data[MAIL_BYTES];
};

/* How a receiver waits: it looks again and again, it sleeps until the sender rings, or it looks MAIL_LOOKS times and
 * then sleeps. */
enum mail_wait { MAIL_POLL, MAIL_INTERRUPT, MAIL_ADAPTIVE };
#define MAIL_LOOKS 1000

/*
 * Send `bytes` of `data` to core `to`, and ring it if it asked for that. Returns without waiting: 0; -EINVAL: no such
 * core, or not 1 to MAIL_BYTES; -ENODEV: no kernel runs there; -EAGAIN: MAIL_SLOTS of this kernel's are not taken yet.
 * Any context.
 */
int mailbox_send(unsigned to, const void *data, unsigned bytes);
/* Take the next message, senders in turn. 0; -EAGAIN: there is none. The receiver's thread. */
int mailbox_receive(struct mail *m);
/* The same, waiting until `deadline` (TICKS_NEVER: without end): -ETIMEDOUT. Thread context, interrupts on. */
int mailbox_wait(struct mail *m, enum mail_wait how, ticks_t deadline);
/* Send a request and ring. As mailbox_send(); -EAGAIN: the last one was not taken yet. Any context. */
int mailbox_request(unsigned to, const void *data, unsigned bytes);
/* Let `serve` have the requests that come here: interrupt context, interrupts off. Without one they are dropped. Boot.
 */
void mailbox_serve(void (*serve)(const struct mail *m));
/* Another kernel rang. Interrupt context. */
void mailbox_rang(void);
/* Lines that were dropped since boot. */
u32 mailbox_dropped(void);

#endif
