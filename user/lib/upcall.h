/* SPDX-License-Identifier: MIT */
/* upcall.h - how a signal comes into the program and out of it: user/<machine>/upcall.c and signal.c. */
#ifndef AMALGAM_USER_UPCALL_H
#define AMALGAM_USER_UPCALL_H

#include <amalgam/signal.h>

/* The kernel's entry: it finds the signal's number in a register and the frame's first part, the context of
 * amalgam_signal_return(), at the stack pointer. It stores the floating-point registers below that, and calls
 * signal_handle(). */
void signal_upcall(void);
/* Call the handler, and go on with the frame that it returns. */
_Noreturn void signal_handle(int signal, struct amalgam_frame *frame);
/* Load the floating-point registers of a frame, and return to it. */
_Noreturn void signal_continue(struct amalgam_frame *frame);

#endif
