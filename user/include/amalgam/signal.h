/* SPDX-License-Identifier: MIT */
/*
 * amalgam/signal.h - signals between the threads of a process, and alarms. docs/library.md says how they work.
 *
 * amalgam_signal_send(thread, signal) of amalgam/calls.h sends one, amalgam_alarm(ns) lets the calling thread have
 * AMALGAM_SIGALRM after a time. A thread is interrupted at any instruction, also in the C library and while it holds a
 * lock: so a handler calls nothing that takes one, neither printf() nor malloc().
 */
#ifndef AMALGAM_SIGNAL_H
#define AMALGAM_SIGNAL_H

#include <amalgam/calls.h>

#define AMALGAM_SIGNALS 32 /* numbers from 0 on; a lower number is taken first */
#define AMALGAM_SIGALRM 14

/* The registers of what a signal has interrupted. They lie on its stack. */
struct amalgam_frame;

/* Returns the frame with which the thread goes on: the one that it was given, or one that a handler was given before or
 * amalgam_frame() has made. Each is for one return. */
typedef struct amalgam_frame *amalgam_handler(int signal, struct amalgam_frame *interrupted);

#ifdef __cplusplus
extern "C" {
#endif

/* Set the handler of a signal, for all threads; NULL: the signal does nothing but end waits. Returns 0 or
 * -AMALGAM_EINVAL: there is no such signal. */
int amalgam_signal(int signal, amalgam_handler *handler);
/* Make the frame of a thread of the program's own, which calls entry(arg) on a stack that ends at `end` and has 4 KiB
 * or more (with AVX-512 8 KiB). `entry` must not return. It shares variables (_Thread_local) with the thread that goes
 * on with it. */
struct amalgam_frame *amalgam_frame(void *end, void (*entry)(void *), void *arg);

#ifdef __cplusplus
}
#endif

#endif
