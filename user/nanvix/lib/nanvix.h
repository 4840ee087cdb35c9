/* SPDX-License-Identifier: MIT */
/* nanvix.h - what the files of this library share. */
#ifndef AMALGAM_NANVIX_H
#define AMALGAM_NANVIX_H

#include <nanvix/kernel/kernel.h>
#include <stdarg.h>

/*
 * Waiting. One of two variants is linked: ../sleep or ../spin; with the former ../remote, if its mutexes and semaphores
 * are to be in the place of those here. nanvix_wait() returns when *word is no longer `expected` and nanvix_wake() was
 * called for it, or earlier; the caller has to check the word. nanvix_wake() ends the wait of `count` threads,
 * beginning with the one that has waited longest.
 */
void nanvix_wait(const uint32_t *word, uint32_t expected);
void nanvix_wake(const uint32_t *word, uint32_t count);

/* Wait a little between two polls of a word that another thread changes. `turn` is the number of polls so far; from
 * NANVIX_RELAX_ASLEEP on the thread sleeps. */
#define NANVIX_RELAX_ASLEEP 64u
void nanvix_relax(unsigned turn);
/* The same before a wait by nanvix_wait(): returns false, at once, when the thread has polled for long enough. */
bool nanvix_stay_awake(unsigned turn);
/* Count calls by which a thread may be polling, in its own *polls; every few hundredth sleeps for a short time. */
void nanvix_polled(unsigned *polls);

/* A lock of one word: 0 free, 1 taken, 2 taken and a thread waits by nanvix_wait(). */
bool nanvix_lock_try(uint32_t *word);
void nanvix_lock_take(uint32_t *word);
void nanvix_lock_drop(uint32_t *word);

/* Returns whether nanvix_mutex_unlock() of the calling thread will succeed. */
struct nanvix_mutex;
bool nanvix_mutex_may_unlock(const struct nanvix_mutex *m);

/* format.c: vsnprintf() with Nanvix' "%l". */
int nanvix_vsnprintf(char *to, size_t n, const char *format, va_list arguments);
int nanvix_sprintf(char *to, const char *format, ...);

/* Returns the kernel's result, with an error converted to Nanvix' number. */
long nanvix_result(int64_t result);
/* Returns whether the process may read the address. Asks the kernel by a wait that returns at once. */
bool nanvix_is_readable(const void *at);
/* For functions that return -1: store a negative error in errno. Returns -1, or `result` if it is no error. */
int nanvix_answer(int result);

/* Functions for kernel calls. They return 0 or more, or a negative error of posix/errno.h. */
int nanvix_thread_create(int *tid, void *(*start)(void *), void *arg);
int nanvix_thread_join(int tid, void **value);
int nanvix_thread_yield(void);
int nanvix_thread_sleep(void);
int nanvix_thread_wakeup(int tid);
bool nanvix_thread_lives(int tid);
/* The calling thread has the number that the kernel knows it by; with 0 no more. */
void nanvix_thread_set_number(int tid);
/* Send a signal to a thread and no other, when it has begun. Returns the kernel's result, or -AMALGAM_EINVAL: there is
 * no such thread, or it has ended. */
int64_t nanvix_thread_signal(int tid, uint32_t signal);
int nanvix_signal_control(int signum, const struct ksigaction *action);
int nanvix_signal_alarm(int seconds);
int nanvix_signal_send(int signum, int tid);
int nanvix_signal_wait(int signum);
int nanvix_signal_return(void);
/* Let SIGALRM come to the calling thread in at most `ns`, and again until this is called with 0. It does nothing but
 * end waits with -AMALGAM_EINTR, maybe sooner, and once after that call: who waits looks at the clock and goes on. The
 * alarm that the program has asked for comes afterwards. */
void nanvix_patience(uint64_t ns);
long nanvix_console_line(int fd, const char *text, size_t n);
/* Frames of kframe_alloc(). nanvix_frame(): returns the kernel's number of one; -1: it is not allocated.
 * nanvix_frame_let_go(): frees the kernel's number if it is that of none. */
int64_t nanvix_frame(frame_t frame);
void nanvix_frame_let_go(uint32_t frame);
/* page.c: map the frame of a page of the program at another address, also one that page_link() refuses, or unmap it
 * there. Return 0 or a negative error. */
int nanvix_page_show(vaddr_t from, vaddr_t at);
int nanvix_page_hide(vaddr_t at);

/* rmem.c: nanvix_rmem_write() for the cache. Returns 0; -EIO: no answer came; -ESTALE: the page was lost;
 * -EFAULT: it is none of this process's pages; -EINVAL: no page has the number. */
int nanvix_rmem_write_back(word_t page, const void *buf);

/* Begin the thread that brings remote memory which another one accesses. Returns 0, or a negative error: there can be
 * no such thread. */
int nanvix_pager_begin(void);

#endif
