/* SPDX-License-Identifier: MIT */
/* nanvix.h - what the files of this library share. */
#ifndef AMALGAM_NANVIX_H
#define AMALGAM_NANVIX_H

#include <nanvix/kernel/kernel.h>

/*
 * Waiting, in two variants of which one is linked (../sleep/wait.c, ../spin/wait.c): nanvix_wait() returns at the
 * latest when *word is no longer `expected` and nanvix_wake() was called for it, perhaps earlier; the caller looks
 * again. nanvix_wake() ends the wait of `count` threads, the one that waits longest first.
 */
void nanvix_wait(const uint32_t *word, uint32_t expected);
void nanvix_wake(const uint32_t *word, uint32_t count);

/* Spend the time until the next look at a word that another thread changes; `turn` counts the looks, from 0 on. From
 * NANVIX_RELAX_ASLEEP on the thread sleeps. */
#define NANVIX_RELAX_ASLEEP 64u
void nanvix_relax(unsigned turn);
/* Count what a thread may be polling with, in `polls` of its own; a few hundred make it sleep shortly. */
void nanvix_polled(unsigned *polls);

/* A lock of one word: 0 free, 1 taken, 2 taken and somebody waits; waiting is nanvix_wait(). */
bool nanvix_lock_try(uint32_t *word);
void nanvix_lock_take(uint32_t *word);
void nanvix_lock_drop(uint32_t *word);

/* Returns a kernel's result with Nanvix' error number. */
long nanvix_result(int64_t result);
/* Whether the process may read there: the kernel looks, as it would before a wait. */
bool nanvix_is_readable(const void *at);
/* For functions that return -1: puts the error into errno. */
int nanvix_answer(int result);

/* Kernel calls by functions: 0 or more, or a negative error of posix/errno.h. */
int nanvix_thread_create(int *tid, void *(*start)(void *), void *arg);
int nanvix_thread_join(int tid, void **value);
int nanvix_thread_yield(void);
int nanvix_thread_sleep(void);
int nanvix_thread_wakeup(int tid);
int nanvix_signal_control(int signum, const struct ksigaction *action);
int nanvix_signal_alarm(int seconds);
int nanvix_signal_send(int signum, int tid);
int nanvix_signal_wait(int signum);
long nanvix_console_line(int fd, const char *text, size_t n);

#endif
